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
