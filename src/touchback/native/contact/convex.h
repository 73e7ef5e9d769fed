/* Convex shapes on bodies, and how far two of them are apart. A shape is a core and what lies
 * within `round` of it: a sphere is a rounded point, a capsule a rounded segment. */
#ifndef TOUCHBACK_CONVEX_H
#define TOUCHBACK_CONVEX_H

enum {
    TB_POINT,     /* the origin */
    TB_SEGMENT,   /* along z to size[0] on either side */
    TB_BOX,       /* half lengths in size */
    TB_CYLINDER,  /* about z: radius, half length */
    TB_CONE,      /* about z: radius of its base at -half, half height; its apex is at +half */
    TB_ELLIPSOID, /* half axes in size */
    TB_HULL,      /* of points */
    TB_HALF_SPACE /* below the x-y plane */
};

/* A shape about the origin of its frame [m]. `neighbours` of vertex i of a hull are those from
 * `starts[i]` to `starts[i + 1]`: the ends of its edges. */
typedef struct tb_convex {
    int kind, vertices;
    double size[3], round;
    const double *points;
    const int *starts, *neighbours;
} tb_convex;

/* Where a frame is: its origin [m] and its axes, the columns of a row-major matrix. */
typedef struct tb_placement {
    double origin[3], axes[9];
} tb_placement;

/* Two shapes: `distance` [m] is negative where they overlap, by the shortest way out. `normal` is a
 * unit vector from the first to the second; `first` and `second` are points of theirs that are
 * nearest, or deepest. */
typedef struct tb_proximity {
    double distance, normal[3], first[3], second[3];
    int vertices[2]; /* of hulls, where the next search begins */
} tb_proximity;

/* The point of a core farthest along a direction (any length), in the shape's frame. A hull is
 * searched from `*vertex` on, which becomes the vertex found. */
void tb_support(const tb_convex *shape, const double *direction, int *vertex, double *point);

/* Directions in which a core has more than one farthest point lie on circles of the unit sphere,
 * n . axis = height: rows of (axis, height) for those that pass within `width` of a unit
 * direction, at most TB_KINKS. Gives how many. */
enum { TB_KINKS = 6 };
int tb_kinks(const tb_convex *shape, const double *direction, int vertex, double width,
             double *circles);

/* How far two shapes are apart; `found->vertices` is read first. Neither memory nor time grow with
 * what was asked before. */
void tb_proximity_of(const tb_convex *first, const tb_placement *at_first, const tb_convex *second,
                     const tb_placement *at_second, tb_proximity *found);

/* The same for `count` pairs: placements as rows of 12 numbers; rows of 10 numbers are written,
 * distance, normal and both points. */
void tb_proximities(long count, const tb_convex *first, const double *at_first,
                    const tb_convex *second, const double *at_second, double *found);

#endif
