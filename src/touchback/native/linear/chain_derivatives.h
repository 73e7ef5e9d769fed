/* Derivatives of accelerations of a chain, whose links have one freedom each and carry the next
 * one, by fewer products than tree_lanes.h takes: for processors whose registers hold two numbers.
 *
 * An effort at k gives the links within k wrenches p, and they accelerate by -L p, where L is the
 * inverse inertia of the whole chain at a link. Links beyond k have no wrench, and sums over what
 * one of them carries are Q A, where A is its carrier's acceleration. So what tree_lanes.h makes
 * of p, of A and of such sums is made of A alone beyond k, and of p and sums P within. What M^-1
 * has within k is known from what it has beyond, since it is symmetric. */
#ifndef TOUCHBACK_CHAIN_DERIVATIVES_H
#define TOUCHBACK_CHAIN_DERIVATIVES_H

#include "linear/tree_derivatives.h"

/* Whether these loops are for it, on this processor. */
int tb_is_chain(const tb_tree_derivatives *self);

/* The doubles of work that they need. */
long tb_chain_derivatives_work(const tb_tree_derivatives *self);

/* out = [da/dq, da/dv, M^-1], by rows. Returns 0 where loops for any tree keep more digits: links
 * that turn far from the root's point, as measured by what they are long. */
int tb_chain_derivatives(const tb_tree_derivatives *self, const tb_columns *columns, double *out,
                         double *work);

#endif
