#include "live/energy.h"

/* A force is held between ticks, so that its work is the force times the way: exact for positions,
 * and for velocities as exact as their mean. */
void tb_energy_observe(tb_energy *port, const double *u, const double *delivered, double length) {
    for (long i = 0; i < port->count; i++) {
        double now = u[port->motions[i]], before = port->before[i];
        double way = port->by_position ? now - before : 0.5 * length * (now + before);
        if (port->started)
            port->energy += delivered[port->forces[i]] * way;
        port->velocity[i] = port->by_position ? (port->started ? way / length : 0.0) : now;
        port->before[i] = now;
    }
    port->started = 1;
    if (port->energy > port->largest)
        port->largest = port->energy;
}

/* What will have left at the next tick if the motion goes on as it is. */
static double foreseen(const tb_energy *port, const double *forces, double length) {
    double energy = port->energy;
    for (long i = 0; i < port->count; i++)
        energy += forces[port->forces[i]] * port->velocity[i] * length;
    return energy;
}

int tb_energy_damp(tb_energy *port, double *forces, double length) {
    double excess = foreseen(port, forces, length) - port->limit, square = 0.0;
    for (long i = 0; i < port->count; i++)
        square += port->velocity[i] * port->velocity[i];
    if (port->damping == 0.0 || !(excess > 0.0) || square == 0.0)
        return 0;
    double damping = excess / (square * length);
    if (!(damping < port->damping))
        damping = port->damping;
    for (long i = 0; i < port->count; i++)
        forces[port->forces[i]] -= damping * port->velocity[i];
    port->taken += damping * square * length;
    port->damped++;
    return 1;
}

int tb_energy_trips(const tb_energy *port, const double *forces, double length) {
    double most = port->damping > 0.0 ? port->trip : port->limit;
    return !(foreseen(port, forces, length) <= most);
}
