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
