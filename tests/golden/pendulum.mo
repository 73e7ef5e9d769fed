package Pendulum "Pendulum"
  // Printed by Touchback 0.2.0.

  connector KinematicPort "How a body's frame moves, along world axes"
    Real r[3](each unit = "m") "position of its origin";
    Real T[3, 3] "rotation: the columns are its axes";
    Real v[3](each unit = "m/s") "velocity of its origin";
    Real w[3](each unit = "rad/s") "angular velocity";
    Real a[3](each unit = "m/s2") "acceleration of its origin";
    Real e[3](each unit = "rad/s2") "angular acceleration";
  end KinematicPort;

  connector WrenchPort "What acts on a body, along world axes"
    Real P[3](each unit = "m") "the point";
    Real F[3](each unit = "N") "force";
    Real M[3](each unit = "N.m") "moment about the point";
  end WrenchPort;

  model Ground "A body that stands still"
    output KinematicPort K;
  equation
    K.r = zeros(3);
    K.T = identity(3);
    K.v = zeros(3);
    K.w = zeros(3);
    K.a = zeros(3);
    K.e = zeros(3);
  end Ground;

  model MovingGround "A body whose motion is given"
    input Real r[3], T[3, 3], v[3], w[3], a[3], e[3];
    output KinematicPort K;
  equation
    K.r = r;
    K.T = T;
    K.v = v;
    K.w = w;
    K.a = a;
    K.e = e;
  end MovingGround;

  model RigidBody "Newton's and Euler's equations about the centre of mass C"
    parameter Real m(unit = "kg") "mass";
    parameter Real c[3](each unit = "m") "centre of mass in the body's frame";
    parameter Real I[3, 3](each unit = "kg.m2") "inertia about it, along the body's axes";
    parameter Integer n = 1 "how many wrenches act besides that of its joint";
    input KinematicPort K "from its joint";
    input WrenchPort W[n];
    output WrenchPort J "what its joint has to bring";
    Real l[3], a_C[3], I_W[3, 3], F[n, 3], M[n, 3];
  equation
    l = K.T*c;
    a_C = K.a + cross(K.e, l) + cross(K.w, cross(K.w, l));
    I_W = K.T*I*transpose(K.T);
    for i in 1:n loop
      F[i, :] = W[i].F;
      M[i, :] = W[i].M + cross(W[i].P - J.P, W[i].F);
    end for;
    J.P = K.r + l;
    m*a_C = J.F + {sum(F[:, 1]), sum(F[:, 2]), sum(F[:, 3])};
    I_W*K.e + cross(K.w, I_W*K.w) = J.M + {sum(M[:, 1]), sum(M[:, 2]), sum(M[:, 3])};
  end RigidBody;

  model Weight "Gravity at the centre of mass"
    parameter Real m(unit = "kg"), c[3](each unit = "m");
    input Real g[3](each unit = "m/s2");
    input KinematicPort K;
    output WrenchPort W;
  equation
    W.P = K.r + K.T*c;
    W.F = m*g;
    W.M = zeros(3);
  end Weight;

  partial model Constraint "Newton's third law at one point P: Kosenko 2015, eq. 1"
    parameter Real p_A[3](each unit = "m") = zeros(3), R_A[3, 3] = identity(3) "frame on A";
    parameter Real p_B[3](each unit = "m") = zeros(3), R_B[3, 3] = identity(3) "frame on B";
    input KinematicPort A;
    output WrenchPort W_A;
    Real P[3], F_A[3], M_A[3], F_B[3], M_B[3];
  equation
    F_A + F_B = zeros(3);
    M_A + M_B = zeros(3);
    W_A.P = P;
    W_A.F = F_A;
    W_A.M = M_A;
  end Constraint;

  partial model Joint "Carries B: Kosenko 2015, eq. 2 to 4, with the joint's own coordinates"
    extends Constraint;
    output KinematicPort B;
    input WrenchPort W_B "what B asks for";
    Real p[3], R[3, 3] "place of the frame on B in that on A, along A's axes";
    Real u[3], s[3], w[3] "its velocity, acceleration and angular velocity there";
    Real e[3] "its angular acceleration there";
    Real S[3, 3], d[3], l[3], u_W[3], w_W[3], f[3], m[3];
  equation
    S = A.T*R_A;
    d = A.T*p_A + S*p;
    l = B.T*p_B;
    P = A.r + d;
    u_W = S*u;
    w_W = S*w;
    B.T = S*R*transpose(R_B);
    B.w = A.w + w_W;
    B.e = A.e + cross(A.w, w_W) + S*e;
    B.r = P - l;
    B.v = A.v + cross(A.w, d) + u_W - cross(B.w, l);
    B.a = A.a + cross(A.e, d) + cross(A.w, cross(A.w, d)) + 2*cross(A.w, u_W) + S*s - cross(B.e, l) - cross(B.w, cross(B.w, l));
    F_B = W_B.F;
    M_B = W_B.M + cross(W_B.P - P, W_B.F);
    f = transpose(S)*F_B;
    m = transpose(S)*M_B;
  end Joint;

  function about "The rotation by q about a unit vector n"
    input Real n[3], q;
    output Real R[3, 3];
  protected
    Real k;
  algorithm
    k := 1 - cos(q);
    R := {{cos(q) + k*n[1]*n[1], k*n[1]*n[2] - n[3]*sin(q), k*n[1]*n[3] + n[2]*sin(q)}, {k*n[1]*n[2] + n[3]*sin(q), cos(q) + k*n[2]*n[2], k*n[2]*n[3] - n[1]*sin(q)}, {k*n[1]*n[3] - n[2]*sin(q), k*n[2]*n[3] + n[1]*sin(q), cos(q) + k*n[3]*n[3]}};
  end about;

  function of_quaternion "The rotation of a quaternion of any length: Kosenko 2015, §2.1"
    input Real q[4];
    output Real R[3, 3];
  protected
    Real k;
  algorithm
    k := 2/(q[1]*q[1] + q[2]*q[2] + q[3]*q[3] + q[4]*q[4]);
    R := {{1 - k*(q[3]*q[3] + q[4]*q[4]), k*(q[2]*q[3] - q[1]*q[4]), k*(q[2]*q[4] + q[1]*q[3])}, {k*(q[2]*q[3] + q[1]*q[4]), 1 - k*(q[2]*q[2] + q[4]*q[4]), k*(q[3]*q[4] - q[1]*q[2])}, {k*(q[2]*q[4] - q[1]*q[3]), k*(q[3]*q[4] + q[1]*q[2]), 1 - k*(q[2]*q[2] + q[3]*q[3])}};
  end of_quaternion;

  function quaternion_rate "of an angular velocity along the turned axes"
    input Real q[4], w[3];
    output Real rate[4];
  algorithm
    rate := 0.5*{-q[2]*w[1] - q[3]*w[2] - q[4]*w[3], q[1]*w[1] - q[4]*w[2] + q[3]*w[3], q[4]*w[1] + q[1]*w[2] - q[2]*w[3], -q[3]*w[1] + q[2]*w[2] + q[1]*w[3]};
  end quaternion_rate;

  model Fixed "No freedom"
    extends Joint;
  equation
    p = zeros(3);
    R = identity(3);
    u = zeros(3);
    s = zeros(3);
    w = zeros(3);
    e = zeros(3);
  end Fixed;

  model Revolute "Turns about n"
    extends Joint;
    parameter Real n[3];
    Real q[1](each stateSelect = StateSelect.always), v[1](each stateSelect = StateSelect.always), a[1];
    input Real tau[1];
  equation
    der(q) = v;
    der(v) = a;
    p = zeros(3);
    R = about(n, q[1]);
    u = zeros(3);
    s = zeros(3);
    w = n*v[1];
    e = n*a[1];
    tau[1] = n*m;
  end Revolute;

  model Prismatic "Slides along n"
    extends Joint;
    parameter Real n[3];
    Real q[1](each stateSelect = StateSelect.always), v[1](each stateSelect = StateSelect.always), a[1];
    input Real tau[1];
  equation
    der(q) = v;
    der(v) = a;
    p = n*q[1];
    R = identity(3);
    u = n*v[1];
    s = n*a[1];
    w = zeros(3);
    e = zeros(3);
    tau[1] = n*f;
  end Prismatic;

  model Screw "Turns about n, and advances along it by the pitch [m/rad]"
    extends Joint;
    parameter Real n[3], pitch;
    Real q[1](each stateSelect = StateSelect.always), v[1](each stateSelect = StateSelect.always), a[1];
    input Real tau[1];
  equation
    der(q) = v;
    der(v) = a;
    p = n*(pitch*q[1]);
    R = about(n, q[1]);
    u = n*(pitch*v[1]);
    s = n*(pitch*a[1]);
    w = n*v[1];
    e = n*a[1];
    tau[1] = n*m + pitch*(n*f);
  end Screw;

  model Cylindrical "Slides along n, and turns about it"
    extends Joint;
    parameter Real n[3];
    Real q[2](each stateSelect = StateSelect.always), v[2](each stateSelect = StateSelect.always), a[2];
    input Real tau[2];
  equation
    der(q) = v;
    der(v) = a;
    p = n*q[1];
    R = about(n, q[2]);
    u = n*v[1];
    s = n*a[1];
    w = n*v[2];
    e = n*a[2];
    tau[1] = n*f;
    tau[2] = n*m;
  end Cylindrical;

  model Universal "Turns about n, then about the turned n_2"
    extends Joint;
    parameter Real n[3], n_2[3];
    Real q[2](each stateSelect = StateSelect.always), v[2](each stateSelect = StateSelect.always), a[2];
    input Real tau[2];
    Real R_1[3, 3], t[3];
  equation
    der(q) = v;
    der(v) = a;
    p = zeros(3);
    R_1 = about(n, q[1]);
    R = R_1*about(n_2, q[2]);
    t = R_1*n_2;
    u = zeros(3);
    s = zeros(3);
    w = n*v[1] + t*v[2];
    e = n*a[1] + t*a[2] + cross(n*v[1], t*v[2]);
    tau[1] = n*m;
    tau[2] = t*m;
  end Universal;

  model Planar "Slides along n_1 and n_2, and turns about n"
    extends Joint;
    parameter Real n[3], n_1[3], n_2[3];
    Real q[3](each stateSelect = StateSelect.always), v[3](each stateSelect = StateSelect.always), a[3];
    input Real tau[3];
  equation
    der(q) = v;
    der(v) = a;
    p = n_1*q[1] + n_2*q[2];
    R = about(n, q[3]);
    u = n_1*v[1] + n_2*v[2];
    s = n_1*a[1] + n_2*a[2];
    w = n*v[3];
    e = n*a[3];
    tau[1] = n_1*f;
    tau[2] = n_2*f;
    tau[3] = n*m;
  end Planar;

  model Spherical "Turns about a point: a quaternion, and the angular velocity along B's axes"
    extends Joint;
    Real q[4](each stateSelect = StateSelect.always), v[3](each stateSelect = StateSelect.always), a[3];
    input Real tau[3];
  equation
    der(q) = quaternion_rate(q, v);
    der(v) = a;
    p = zeros(3);
    R = of_quaternion(q);
    u = zeros(3);
    s = zeros(3);
    w = R*v;
    e = R*a;
    tau = transpose(R)*m;
  end Spherical;

  model Free "Moves anywhere: position and quaternion; both velocities along B's axes"
    extends Joint;
    Real q[7](each stateSelect = StateSelect.always), v[6](each stateSelect = StateSelect.always), a[6];
    input Real tau[6];
  equation
    der(q[1:3]) = u;
    der(q[4:7]) = quaternion_rate(q[4:7], v[4:6]);
    der(v) = a;
    p = q[1:3];
    R = of_quaternion(q[4:7]);
    u = R*v[1:3];
    s = R*a[1:3] + cross(w, u);
    w = R*v[4:6];
    e = R*a[4:6];
    tau[1:3] = transpose(R)*f;
    tau[4:6] = transpose(R)*m;
  end Free;

  partial model Closure "Ties two bodies that joints carry already"
    extends Constraint;
    parameter Real alpha(unit = "1/s") "how fast what has drifted comes back";
    input KinematicPort B;
    output WrenchPort W_B;
    Real S_A[3, 3], S_B[3, 3], l_A[3], l_B[3];
    Real d[3], d_v[3], d_a[3] "from the frame on A to that on B, and its rates";
  equation
    S_A = A.T*R_A;
    S_B = B.T*R_B;
    l_A = A.T*p_A;
    l_B = B.T*p_B;
    P = B.r + l_B;
    d = P - A.r - l_A;
    d_v = B.v + cross(B.w, l_B) - A.v - cross(A.w, l_A);
    d_a = B.a + cross(B.e, l_B) + cross(B.w, cross(B.w, l_B)) - A.a - cross(A.e, l_A) - cross(A.w, cross(A.w, l_A));
    W_B.P = P;
    W_B.F = F_B;
    W_B.M = M_B;
  end Closure;

  partial model Row "h = 0, kept by its second rate"
    parameter Real alpha(unit = "1/s");
    input Boolean acts = true "nothing keeps it otherwise";
    output Real lambda "what keeps it";
    Real h, h_v, h_a "what is kept at zero, and its rates";
  equation
    0 = if acts then h_a + 2*alpha*h_v + alpha*alpha*h else lambda;
  end Row;

  model Along "Nothing between two points along s, which turns with a body"
    extends Row;
    input Real s[3], w[3], e[3], d[3], d_v[3], d_a[3];
    Real s_v[3];
  equation
    s_v = cross(w, s);
    h = s*d;
    h_v = s*d_v + s_v*d;
    h_a = s*d_a + 2*(s_v*d_v) + (cross(e, s) + cross(w, s_v))*d;
  end Along;

  model Square "A direction s of A is square to a direction t of B"
    extends Row;
    input Real s[3], t[3], w_A[3], w_B[3], e_A[3], e_B[3];
    Real s_v[3], t_v[3];
  equation
    s_v = cross(w_A, s);
    t_v = cross(w_B, t);
    h = s*t;
    h_v = s_v*t + s*t_v;
    h_a = (cross(e_A, s) + cross(w_A, s_v))*t + 2*(s_v*t_v) + s*(cross(e_B, t) + cross(w_B, t_v));
  end Square;

  model Apart "Two points stay a length apart"
    extends Row;
    input Real length(unit = "m"), d[3], d_v[3], d_a[3];
  equation
    h = (d*d/length - length)/2;
    h_v = d*d_v/length;
    h_a = (d*d_a + d_v*d_v)/length;
  end Apart;

  model Still "No velocity along s, which turns with B, against A"
    parameter Real alpha(unit = "1/s");
    input Boolean acts = true "nothing keeps it otherwise";
    input Real s[3], w_A[3], w_B[3], e_A[3], d[3], d_v[3], d_a[3];
    output Real lambda "what keeps it";
    Real c[3];
  equation
    c = d_v - cross(w_A, d);
    0 = if acts then s*(d_a - cross(e_A, d) - cross(w_A, d_v)) + cross(w_B, s)*c + alpha*(s*c) else lambda;
  end Still;

  model Rim "The lowest point of a disc: Kept and KeptRate hold it to the plane"
    parameter Real radius(unit = "m");
    input Real n[3], t[3] "the plane's normal, which turns with A; the disc's axis, with B";
    input Real w_A[3], w_B[3], e_A[3], e_B[3], d[3], d_v[3], d_a[3];
    Real c[3], c_v[3] "from the centre to the point, and its rate";
    Real height, slip[3], slip_a[3] "over the plane; velocity against it, and its rate";
    Real k, x, x_v, up[3], n_v[3], t_v[3];
  equation
    x = n*t;
    k = sqrt(1 - x*x);
    n_v = cross(w_A, n);
    t_v = cross(w_B, t);
    x_v = n_v*t + n*t_v;
    up = (n - x*t)/k;
    c = -radius*up;
    c_v = -radius*(n_v - x_v*t - x*t_v + (x*x_v/k)*up)/k;
    height = n*d - radius*k;
    slip = d_v + cross(w_B, c) - cross(w_A, d + c);
    slip_a = d_a + cross(e_B, c) + cross(w_B, c_v) - cross(e_A, d + c) - cross(w_A, d_v + c_v);
  end Rim;

  model Kept "A relation of coordinates"
    extends Row;
    input Real x, x_v, x_a;
  equation
    h = x;
    h_v = x_v;
    h_a = x_a;
  end Kept;

  model KeptRate "A relation of velocities"
    parameter Real alpha(unit = "1/s");
    input Boolean acts = true "nothing keeps it otherwise";
    input Real x_v, x_a;
    output Real lambda "what keeps it";
  equation
    0 = if acts then x_a + alpha*x_v else lambda;
  end KeptRate;

  model Mechanism "Pendulum"
    parameter Real alpha(unit = "1/s") = 5.0 "how fast drift comes back";
    parameter Real length = 0.8 "[m]";
    Ground ground;
    Revolute joint_hinge(n = {0.09759000729485331, 0.9759000729485331, 0.19518001458970663}, q(start = {0.7}, each fixed = true), v(start = {0.3}, each fixed = true));
    RigidBody body_rod(m = 1.2, c = {0.0, 0.0, -length}, I = {{0.02, 0.0, 0.0}, {0.0, 0.03, 0.0}, {0.0, 0.0, 0.04}}, n = 1);
    Weight weight_rod(m = 1.2, c = {0.0, 0.0, -length}, g = {0.0, 0.0, -9.81});
    output Real tip_x;
    output Real tip_y;
    output Real tip_z;
    output Real pull_fx;
    output Real pull_fy;
    output Real pull_fz;
    output Real pull_mx;
    output Real pull_my;
    output Real pull_mz;
  equation
    connect(ground.K, joint_hinge.A);
    connect(joint_hinge.B, body_rod.K);
    connect(body_rod.J, joint_hinge.W_B);
    connect(body_rod.K, weight_rod.K);
    connect(weight_rod.W, body_rod.W[1]);
    joint_hinge.tau[1] = -(0.05*joint_hinge.v[1] + 2.0*(joint_hinge.q[1] - 0.1) + 0.01*joint_hinge.a[1]);
    tip_x = body_rod.K.r[1] - body_rod.K.T[1, 3];
    tip_y = body_rod.K.r[2] - body_rod.K.T[2, 3];
    tip_z = body_rod.K.r[3] - body_rod.K.T[3, 3];
    pull_fx = body_rod.K.T[1, 1]*joint_hinge.F_B[1] + body_rod.K.T[2, 1]*joint_hinge.F_B[2] + body_rod.K.T[3, 1]*joint_hinge.F_B[3];
    pull_fy = body_rod.K.T[1, 2]*joint_hinge.F_B[1] + body_rod.K.T[2, 2]*joint_hinge.F_B[2] + body_rod.K.T[3, 2]*joint_hinge.F_B[3];
    pull_fz = body_rod.K.T[1, 3]*joint_hinge.F_B[1] + body_rod.K.T[2, 3]*joint_hinge.F_B[2] + body_rod.K.T[3, 3]*joint_hinge.F_B[3];
    pull_mx = body_rod.K.T[1, 1]*joint_hinge.M_B[1] + body_rod.K.T[2, 1]*joint_hinge.M_B[2] + body_rod.K.T[3, 1]*joint_hinge.M_B[3];
    pull_my = body_rod.K.T[1, 2]*joint_hinge.M_B[1] + body_rod.K.T[2, 2]*joint_hinge.M_B[2] + body_rod.K.T[3, 2]*joint_hinge.M_B[3];
    pull_mz = body_rod.K.T[1, 3]*joint_hinge.M_B[1] + body_rod.K.T[2, 3]*joint_hinge.M_B[2] + body_rod.K.T[3, 3]*joint_hinge.M_B[3];
  end Mechanism;
end Pendulum;
