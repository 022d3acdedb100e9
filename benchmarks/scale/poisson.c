// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/* Poisson's equation on a square, by PETSc's conjugate gradients with Jacobi's preconditioner. */
#include <petscdmda.h>
#include <petscksp.h>

enum { side = 128 };

int main(int argc, char** argv) {
    PetscInitialize(&argc, &argv, NULL, NULL);
    DM grid;
    DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, side, side,
                 PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid);
    DMSetUp(grid);
    Mat matrix;
    Vec solution, right;
    DMCreateMatrix(grid, &matrix);
    DMCreateGlobalVector(grid, &solution);
    VecDuplicate(solution, &right);
    VecSet(right, 1);
    PetscInt x, y, width, height;
    DMDAGetCorners(grid, &x, &y, NULL, &width, &height, NULL);
    for (PetscInt j = y; j < y + height; ++j) {
        for (PetscInt i = x; i < x + width; ++i) {
            const MatStencil row = {.i = i, .j = j};
            const MatStencil near[] = {row,
                                       {.i = i > 0 ? i - 1 : -1, .j = j},
                                       {.i = i + 1 < side ? i + 1 : -1, .j = j},
                                       {.i = i, .j = j > 0 ? j - 1 : -1},
                                       {.i = i, .j = j + 1 < side ? j + 1 : -1}};
            const PetscScalar values[] = {4, -1, -1, -1, -1};
            MatSetValuesStencil(matrix, 1, &row, 5, near, values, INSERT_VALUES);
        }
    }
    MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
    KSP solver;
    KSPCreate(PETSC_COMM_WORLD, &solver);
    KSPSetOperators(solver, matrix, matrix);
    KSPSetFromOptions(solver);
    KSPSolve(solver, right, solution);
    PetscFinalize();
    return 0;
}
