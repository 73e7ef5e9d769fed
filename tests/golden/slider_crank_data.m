function m = model_data()
% slider-crank: names, numbers and patterns. Printed by Touchback.
m.name = 'slider-crank';
m.sizes = [3 3 0]; % positions, velocities, other states
m.state_names = {'crank', 'rod', 'slider', 'crank rate', 'rod rate', 'slider rate'};
m.input_names = {'motor torque'};
m.output_names = {'slider position.x', 'slider position.y', 'slider position.z', 'pin force.fx', 'pin force.fy', 'pin force.fz', 'pin force.mx', 'pin force.my', 'pin force.mz', 'energy'};
m.parameter_names = {'crank radius'};
m.state = [0.0; 0.0; 0.5; 0.0; 0.0; 0.0];
m.described = [0.0; 0.0; 0.5; 0.0; 0.0; 0.0]; % m.state is assembled from it
m.inputs = [0.0];
m.parameters = [0.1];
m.rows = 2;
m.row_names = {'pin.1', 'pin.2'};
m.plain = true; % dq/dt is v
m.moving = false;
m.holonomic = logical([1.0; 1.0]);
m.J_rows = [1.0; 1.0; 1.0; 2.0; 2.0; 2.0];
m.J_columns = [1.0; 2.0; 3.0; 1.0; 2.0; 3.0];
m.W_rows = zeros(0, 1);
m.W_columns = zeros(0, 1);
m.M_rows = [1.0; 2.0; 2.0; 3.0];
m.M_columns = [1.0; 1.0; 2.0; 3.0];
end
