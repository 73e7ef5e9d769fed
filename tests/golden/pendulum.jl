# Printed by Touchback 0.2.0: needs Julia's standard library only.
#
# M a = f + W' l,  J a + gamma = 0,  J v = b,  h(q, t) = 0, of states x = [q; v; z].
module Mechanism

using LinearAlgebra

const NAME = "pendulum"
const STATES = String["pivot", "pivot rate"]
const INPUT_NAMES = String[]
const INPUTS = Float64[] # unless others are given
const PARAMETERS = Pair{String, Float64}["length" => 1.0, "mass" => 1.0]
const OUTPUTS = String["bob position.x", "bob position.y", "bob position.z", "energy"]
const CONSTRAINTS = String[]
const HOLONOMIC = Int[] # others are on velocities only
const NQ, NV, NZ, NC = 1, 1, 0, 0
const STEP = 0.001 # [s]
const START = Float64[0.0, 0.0]
const DESCRIBED = Float64[0.0, 0.0] # by the model: START is assembled from it

"The numbers p of values in the order of PARAMETERS."
function block(x = collect(last.(PARAMETERS)))
    t1 = x[1] * x[2]
    t2 = x[1] * t1
    [x[1], t1, t2]
end

const P = block() # of the parameters' values above

"M, f, dq/dt, dz/dt, h, b, gamma, J and W at a state."
function terms(t, x, inputs = INPUTS, p = P)
    u = [t; inputs]
    S1 = sin(x[1])
    t1 = S1 * 9.81
    t2 = p[2] * t1
    M = permutedims(reshape([p[3]], 1, 1))
    f = [-t2]
    q_rate = [x[2]]
    z_rate = zeros(0)
    h = zeros(0)
    b = zeros(0)
    gamma = zeros(0)
    J = zeros(0, 1)
    W = zeros(0, 1)
    M, f, q_rate, z_rate, h, b, gamma, J, W
end

"What sensors show, of accelerations and of the forces that keep the constraints."
function outputs(t, x, inputs, a, forces, p = P)
    u = [t; inputs; a; forces]
    S1 = sin(x[1])
    C1 = cos(x[1])
    t1 = p[1] * S1
    t2 = p[1] * C1
    t3 = x[2] * p[3]
    t4 = x[2] * t3
    t5 = 0.5 * t4
    t6 = p[2] * C1
    t7 = fma(-9.81, t6, t5)
    [-t1, 0.0, -t2, t7]
end

"Accelerations of the velocities, and the forces that keep the constraints."
function accelerations(t, x, inputs = INPUTS, p = P)
    M, f, _, _, _, _, gamma, J, W = terms(t, x, inputs, p)
    K = [M -transpose(W); J zeros(NC, NC)]
    solved = K \ [f; -gamma]
    solved[1:NV], solved[NV + 1:end]
end

"dx/dt."
function rate(t, x, inputs = INPUTS, p = P)
    _, _, q_rate, z_rate = terms(t, x, inputs, p)
    [q_rate; accelerations(t, x, inputs, p)[1]; z_rate]
end

"What sensors show, in the order of OUTPUTS."
sensors(t, x, inputs = INPUTS, p = P) =
    outputs(t, x, inputs, accelerations(t, x, inputs, p)..., p)

"The state that keeps the constraints, by Newton's method on the least change of positions, and
then of velocities."
function settle(t, x, inputs = INPUTS, p = P, iterations = 4)
    NC == 0 && return x
    q, v, z = x[1:NQ], x[NQ + 1:NQ + NV], x[NQ + NV + 1:end]
    for _ in 1:(isempty(HOLONOMIC) ? 0 : iterations)
        found = terms(t, [q; v; z], inputs, p)
        change = pinv(found[8][HOLONOMIC, :]) * found[5][HOLONOMIC]
        change = change / max(1.0, 2.0 * maximum(abs, change)) # half a radian or metre
        q = q - terms(t, [q; change; z], inputs, p)[3]
    end
    _, _, _, _, _, b, _, J = terms(t, [q; v; z], inputs, p)
    [q; v - pinv(J) * (J * v - b); z]
end

"The state after one step of h seconds."
function step(t, x, inputs = INPUTS, p = P, h = STEP)
    k1 = rate(t, x, inputs, p)
    k2 = rate(t + h / 2, x + h / 2 * k1, inputs, p)
    k3 = rate(t + h / 2, x + h / 2 * k2, inputs, p)
    k4 = rate(t + h, x + h * k3, inputs, p)
    settle(t + h, x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), inputs, p)
end

"Where a run begins, before it is settled: x if it is given, START, or with other numbers than the
model's own DESCRIBED, from which START was assembled."
function first_state(x, inputs, p)
    x === nothing || return float.(x)
    p === P && inputs === INPUTS && return START
    DESCRIBED === nothing &&
        error("Where contacts begin was found with the model's own numbers: give x.")
    DESCRIBED
end

"States, a column for each of so many steps, from x moved onto the constraints, or from the initial
state with these inputs and p; an error where constraints can't be met."
function run(steps, x = nothing, inputs = INPUTS, p = P, h = STEP)
    x = settle(0.0, first_state(x, inputs, p), inputs, p, 60)
    states = [closed(0.0, x, inputs, p)]
    for k in 0:steps - 1
        push!(states, closed((k + 1) * h, step(k * h, states[end], inputs, p, h), inputs, p))
    end
    reduce(hcat, states)
end

"The state itself, if it keeps the constraints to a micrometre."
function closed(t, x, inputs, p)
    gap = maximum(abs, terms(t, x, inputs, p)[5][HOLONOMIC]; init = 0.0)
    gap < 1e-6 || error("At $t s the constraints can't be met: $gap m (or rad) stay open.")
    x
end

end # module
