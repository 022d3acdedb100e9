// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
