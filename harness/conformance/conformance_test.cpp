// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
