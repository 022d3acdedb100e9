// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Include first of all: it changes how the rest of the file is compiled.
#pragma once

// GCC halves its vectors on most processors that have AVX-512. The loops that include this are long and dense
// enough to gain from full ones.
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("prefer-vector-width=512")
#endif
