// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/* LU factorisation without pivots of a dense matrix, whose block columns the ranks own in turn. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { side = 1536, width = 16, panels = side / width };

/* Factors a panel of so many rows, whose columns are `side` apart. */
static void factor(double* panel, int rows) {
    for (int j = 0; j < width; ++j) {
        const double pivot = panel[j * side + j];
        for (int i = j + 1; i < rows; ++i) panel[j * side + i] /= pivot;
        for (int k = j + 1; k < width; ++k)
            for (int i = j + 1; i < rows; ++i)
                panel[k * side + i] -= panel[j * side + i] * panel[k * side + j];
    }
}

/* Takes a panel's product with the rows beside it from another block column. */
static void update(double* column, const double* panel, int rows) {
    for (int k = 0; k < width; ++k) {
        for (int j = 0; j < width; ++j) {
            const double factor = column[k * side + j];
            for (int i = j + 1; i < rows; ++i) column[k * side + i] -= panel[j * rows + i] * factor;
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const size_t block = (size_t)side * width;
    double* own = malloc(block * sizeof(double) * (panels / ranks + 1));
    double* panel = malloc(block * sizeof(double));
    for (int column = rank; column < panels; column += ranks) {
        double* here = own + block * (column / ranks);
        for (size_t i = 0; i < block; ++i) here[i] = 1.0 / (1.0 + (double)(i % 97));
        for (int j = 0; j < width; ++j) here[(size_t)j * side + column * width + j] += side;
    }
    for (int step = 0; step < panels; ++step) {
        const int rows = side - step * width;
        if (step % ranks == rank) {
            double* here = own + block * (step / ranks) + step * width;
            factor(here, rows);
            for (int j = 0; j < width; ++j)
                memcpy(panel + (size_t)j * rows, here + (size_t)j * side, rows * sizeof(double));
        }
        MPI_Bcast(panel, rows * width, MPI_DOUBLE, step % ranks, MPI_COMM_WORLD);
        for (int column = rank; column < panels; column += ranks)
            if (column > step) update(own + block * (column / ranks) + step * width, panel, rows);
    }
    free(panel);
    free(own);
    MPI_Finalize();
    return 0;
}
