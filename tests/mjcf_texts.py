"""Small MJCF texts, each with one thing that must be read as MuJoCo reads it."""


def robot(
    inside: str = '<joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 .1 .05"/>',
    head: str = "",
    tail: str = "",
    world: str = "",
    body: str = "",
) -> str:
    """An arm on a turntable with what is given in, before and after it."""
    return f"""<mujoco>{head}<worldbody>{world}
      <body name="table" pos=".1 -.2 .3" euler="10 20 30"><joint name="turn" axis=".6 0 .8"/>
        <geom name="plate" type="cylinder" size=".2 .02"/>
        <body name="arm" pos=".3 .1 -.1" {body}>{inside}</body></body></worldbody>{tail}</mujoco>"""


_GEOM = '<geom type="box" size=".1 .05 .02" pos=".2 .1 .05" {}/><joint name="j" axis="0 1 0"/>'
_TWO = '<joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>'
_SITES = (
    '<joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="tip" pos=".4 .1 0"/>'
)
_SPRUNG = (
    '<joint name="j" axis="0 1 0" ref="10" springref="40" stiffness="4 1" damping="2 1"/>'
    '<geom size=".1" pos=".2 .1 .05"/><site name="tip" pos=".4 .1 0"/>'
)
_BAND = (
    '<tendon><fixed name="band" stiffness="20" damping="3"><joint joint="j" coef="2"/></fixed>'
    "</tendon>"
)
_LINE = '<tendon><spatial name="line" {}>{}</spatial></tendon>'
_SUM = (
    '<tendon><fixed name="sum" {}><joint joint="turn" coef="2"/><joint joint="j" coef="-3"/>'
    "</fixed></tendon>"
)


def _acting(actuator: str, tail: str = "") -> str:
    return robot(_SITES, tail=f"{tail}<actuator>{actuator}</actuator>")


TEXTS: dict[str, str] = {
    # where things are
    "a quaternion": robot(_GEOM.format('quat="1 2 -3 .5"')),
    "an axis and an angle": robot(_GEOM.format('axisangle="1 2 3 40"')),
    "two axes": robot(_GEOM.format('xyaxes="1 2 0 .3 .1 2"')),
    "a z axis": robot(_GEOM.format('zaxis="1 -2 .5"')),
    "a z axis turned over": robot(_GEOM.format('zaxis="0 0 -1"')),
    "Euler's angles in another order": robot(
        _GEOM.format('euler=".1 .2 .3"'), '<compiler angle="radian" eulerseq="zyX"/>'
    ),
    "frames in frames": robot(
        '<frame pos=".1 .2 .3" euler="0 40 0"><frame quat="1 1 0 0"><joint name="j" axis="0 1 1" '
        'pos=".1 0 0"/><geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".03"/></frame></frame>'
    ),
    # joints
    "a joint about its own place": robot(
        '<joint name="j" axis="1 1 0" pos=".1 .2 .3"/><geom size=".1" pos=".2 0 0"/>'
    ),
    "several joints in a body": robot(
        '<joint name="a" axis="1 0 0" pos=".1 0 0"/><joint name="b" type="slide" axis="0 1 1"/>'
        '<joint name="c" axis="0 .6 .8" pos="0 .2 0"/><geom size=".1" pos=".2 0 0"/>'
    ),
    "a joint that begins elsewhere": robot(
        '<joint name="a" axis="1 2 0" ref="50"/><joint name="b" type="slide" ref=".2"/>'
        '<geom type="box" size=".1 .2 .3"/>'
    ),
    "a ball": robot(
        '<joint name="b" type="ball" pos=".1 .2 0" damping=".3" armature=".2"/>'
        '<geom type="box" size=".1 .2 .3" pos=".2 0 0"/>'
    ),
    "a free body": robot(
        world='<body pos="1 2 3" quat="1 2 3 4"><freejoint/><geom type="box" size=".1 .2 .3" '
        'pos=".3 .2 .1"/></body>'
    ),
    "a body fixed to another": robot(_TWO + '<body euler="0 0 20"><geom size=".05 "/></body>'),
    "springs, dampers and rotors": robot(
        '<joint name="j" axis="0 1 0" stiffness="5" springref="20" damping=".4" armature=".1" '
        'ref="10"/><geom size=".1"/>'
    ),
    "springs and dampers with powers": robot(
        '<joint name="j" axis="0 1 0" stiffness="5 3 2" springref="-40" damping=".4 .3 .2"/>'
        '<geom size=".1"/>'
    ),
    "springs with powers that are pressed": robot(
        '<joint name="j" axis="0 1 0" stiffness="5 3 2" springref="70" damping=".4 .3 .2"/>'
        '<joint name="k" axis="1 0 0" stiffness="5 3 2" springref="-70" damping=".4 .3 .2"/>'
        '<geom size=".1"/>'
    ),
    "a spring by its time constant": robot(
        '<joint name="j" axis="0 1 0" springdamper=".3 .8" ref="30"/><geom size=".1" pos=".2 0 0"/>'
    ),
    "a body whose weight is lifted": robot(body='gravcomp=".7"'),
    # what bodies weigh
    "a capsule by its ends": robot(
        '<joint name="j"/><geom type="capsule" fromto="0 0 0 .1 -.4 .2" size=".07"/>'
    ),
    "a cylinder": robot('<joint name="j"/><geom type="cylinder" size=".1 .3" euler="30 0 0"/>'),
    "an ellipsoid": robot('<joint name="j"/><geom type="ellipsoid" size=".1 .2 .3" pos=".2 0 0"/>'),
    "masses and densities": robot(
        '<joint name="j"/><geom size=".1" mass="3"/><geom size=".1" density="300" pos=".5 0 0"/>'
    ),
    "inertia that is given": robot(
        '<joint name="j"/><inertial pos=".1 .2 .3" mass="2" diaginertia=".1 .2 .25" '
        'euler="10 0 0"/><geom size="1"/>'
    ),
    "a full inertia": robot(
        '<joint name="j"/><inertial pos=".1 0 0" mass="2" fullinertia=".1 .2 .25 .01 .02 .03"/>'
    ),
    "inertia of geoms only": robot(
        '<joint name="j"/><inertial pos="1 0 0" mass="2" diaginertia="1 1 1"/><geom size=".1"/>',
        '<compiler inertiafromgeom="true"/>',
    ),
    "inertia of some groups": robot(
        '<joint name="j"/><geom size=".1" group="3"/><geom size=".2" group="1" pos=".1 0 0"/>',
        '<compiler inertiagrouprange="0 1"/>',
    ),
    "least masses and moments": robot(
        '<joint name="j"/><geom type="box" size=".001 .02 .003" pos=".1 0 0"/>',
        '<compiler boundmass=".5" boundinertia=".02"/>',
    ),
    "inertia that is balanced": robot(
        '<joint name="j"/><inertial pos=".1 0 0" mass="2" diaginertia=".1 .1 .5"/>',
        '<compiler balanceinertia="true"/>',
    ),
    # defaults
    "defaults, classes and what bodies say for their children": robot(
        '<joint name="j" class="stiff"/><geom class="big"/><geom pos=".3 0 0" type="box"/>',
        '<default><geom size=".1 .1 .1" density="500"/><default class="big"><geom size=".3" '
        'mass="2"/><joint damping="9"/></default><default class="outer"><joint axis="0 1 0" '
        'damping=".5"/><default class="stiff"><joint stiffness="7"/></default></default></default>',
        body='childclass="outer"',
    ),
    "a direction of one's own over that of the class": robot(
        _GEOM.format('zaxis="1 0 1"'), '<default><geom euler="10 20 30"/></default>'
    ),
    "short rows of numbers over those of the class": robot(
        '<joint name="j" stiffness="5"/><geom type="box" size=".3" pos=".1 .2 .3"/>',
        '<default><joint stiffness="1 2 3" damping="1 2"/><geom size=".1 .2 .3"/></default>',
    ),
    # the world
    "gravity": robot(head='<option gravity="1 2 -3"/>'),
    "no gravity": robot(head='<option gravity="1 2 -3"><flag gravity="disable"/></option>'),
    "no springs": robot(_SPRUNG, '<option><flag spring="disable"/></option>', _BAND),
    "no dampers": robot(_SPRUNG, '<option><flag damper="disable"/></option>', _BAND),
    "a fluid": robot(head='<option density="1.2" viscosity=".3" wind="1 -2 .5"/>'),
    # tendons and actuators
    "a spring on a sum of coordinates": robot(
        _SITES, tail=_SUM.format('stiffness="3" damping=".2" springlength=".1"')
    ),
    "a slack spring": robot(_SITES, tail=_SUM.format('stiffness="3" springlength="0 .2"')),
    "a spring whose slack reaches below zero": robot(
        _SITES, tail=_SUM.format('stiffness="3" springlength="-.1 .05"')
    ),
    "a sum that is at rest where its joints' springs are": robot(_SPRUNG, tail=_BAND),
    "a line that is at rest where its joints' springs are": robot(
        _SPRUNG,
        tail=_LINE.format('stiffness="30"', '<site site="post"/><site site="tip"/>'),
        world='<site name="post" pos="1 0 0"/>',
    ),
    "a line that begins at rest": robot(
        _SITES,
        tail=_LINE.format('stiffness="30" damping="2"', '<site site="post"/><site site="tip"/>'),
        world='<site name="post" pos="1 0 0"/>',
    ),
    "a line over a pulley": robot(
        _SITES,
        tail=_LINE.format(
            'stiffness="30" springlength=".1"',
            '<site site="post"/><site site="tip"/><pulley divisor="2"/><site site="tip"/>'
            '<site site="other"/>',
        ),
        world='<site name="post" pos="1 0 0"/><site name="other" pos="0 1 1"/>',
    ),
    "a motor": _acting('<motor name="m" joint="j" gear="3" ctrlrange="-1 1"/>'),
    "a servo of the position": _acting('<position name="m" joint="j" kp="20" kv="2" gear="2"/>'),
    "a servo of the speed": _acting(
        '<velocity name="m" joint="j" kv="20" gear="-2" forcerange="-3 3"/>'
    ),
    "an affine law": _acting(
        '<general name="m" joint="j" gear="2" gaintype="affine" gainprm="3 1 2" biastype="affine" '
        'biasprm=".1 .2 .3"/>'
    ),
    "a damper": _acting('<damper name="m" joint="j" kv="3" ctrlrange="0 2"/>'),
    "a filtered law": _acting(
        '<general name="m" joint="j" dyntype="filter" dynprm=".2" gainprm="5"/>'
        '<cylinder name="c" joint="turn" timeconst=".3" area="2" bias=".1 .2 .3"/>'
    ),
    "an integrator": _acting('<intvelocity name="m" joint="j" kp="4" actrange="-.3 .2"/>'),
    "an integrator without ends": _acting('<intvelocity name="m" joint="j" kp="4"/>'),
    "a motor of a tendon": _acting('<motor name="m" tendon="sum" gear="3"/>', _SUM.format("")),
    "a motor at a site": _acting('<motor name="m" site="tip" gear="1 2 3 .4 .5 .6"/>'),
    "a motor of a ball": robot(
        '<joint name="b" type="ball"/><geom type="box" size=".1 .2 .3" pos=".2 0 0"/>',
        tail='<actuator><motor name="m" joint="b" gear="1 2 3"/></actuator>',
    ),
    "classes of actuators": robot(
        _TWO,
        '<default><general ctrllimited="true" ctrlrange="-2 2"/><default class="strong"><general '
        'gainprm="50"/></default></default>',
        tail='<actuator><general name="m" class="strong" joint="j"/></actuator>',
    ),
    **{
        f"{actuator} in a class with {default}": robot(
            _TWO,
            f"<default><{default}/></default>",
            tail=f'<actuator><{actuator} name="m" joint="j"/></actuator>',
        )
        for default, actuator in (
            ('position kp="50" kv="3" timeconst=".3"', "general"),
            ('position kp="50" kv="3" timeconst=".3"', 'position kp="2"'),
            ('position kp="50" kv="3" timeconst=".3"', "velocity"),
            ('velocity kv="3"', 'position kp="7"'),
            ('general gainprm="50"', "position"),
            ('general gainprm="50" biasprm="1 2 3"', "cylinder"),
            ('general gainprm="50" dyntype="filter"', "motor"),
            ('general gainprm="7 1 2"', 'general gaintype="affine" gainprm="2"'),
            ('damper kv="4" ctrlrange="0 1"', "damper"),
        )
    },
}

# ---- closed loops -------------------------------------------------------------------------------

BAR = '<geom type="capsule" fromto="0 0 0 {0} 0 {1}" size=".02"/>'
FOUR_BAR = f"""<mujoco><option gravity="0 0 -9.81" integrator="RK4" timestep="5e-4"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 1 0" damping=".02"/>{BAR.format(".2", ".1")}
    <body name="rod" pos=".2 0 .1"><joint name="rod" axis="0 1 0"/>{BAR.format(".5", "0")}</body>
  </body>
  <body name="rocker" pos=".7 0 -.2"><joint name="rocker" axis="0 1 0"/>{BAR.format("0", ".3")}
  </body></worldbody>
  <equality>{{}}</equality></mujoco>"""
TIE = '<connect body1="rod" body2="rocker" anchor=".5 0 0" {}/>'
SPATIAL = """<mujoco><worldbody><site name="post" pos=".3 .4 .5"/>
  <body name="a" pos="0 0 1"><joint name="ball" type="ball"/><geom type="capsule"
      fromto="0 0 0 .3 0 0" size=".05"/><site name="a end" pos=".3 0 0"/>
    <body name="b" pos=".3 0 0"><joint name="elbow" axis="0 1 0"/><geom type="capsule"
      fromto="0 0 0 .2 .1 0" size=".05"/></body></body>
  <body name="c" pos=".5 .1 1"><freejoint/><geom type="box" size=".1 .05 .07" pos=".1 0 0"/></body>
  </worldbody>{}</mujoco>"""
LOOPS = {
    "a connected point": FOUR_BAR.format(TIE.format("")),
    "a point connected to the world": robot(
        tail='<equality><connect body1="arm" anchor=".2 .1 .05"/></equality>',
        inside='<joint name="a" type="slide" axis="0 1 0"/><joint name="b" type="ball"/>'
        '<geom type="box" size=".1 .2 .05" pos=".3 0 0"/>',
    ),
    "two welded bodies": SPATIAL.format('<equality><weld body1="b" body2="c"/></equality>'),
    "bodies welded at a pose": SPATIAL.format(
        '<equality><weld body1="b" body2="c" relpose=".25 .1 .02 .9 .1 -.2 .3"/></equality>'
    ),
    "bodies welded at a pose and a point": SPATIAL.format(
        '<equality><weld body1="b" body2="c" anchor=".05 .1 0" relpose=".25 .1 .02 .9 .1 -.2 .3"/>'
        "</equality>"
    ),
    "joints by a polynomial": robot(
        tail='<equality><joint joint1="j" joint2="turn" polycoef=".1 .5 .3 -.2 .4"/></equality>'
    ),
    "a joint that is held": robot(
        tail='<equality><joint joint1="j" polycoef=".3"/></equality>',
        inside='<joint name="j" axis="0 1 0" ref="20"/><geom size=".1" pos=".2 0 0"/>',
    ),
    "a tendon that is held": SPATIAL.format(
        '<tendon><spatial name="line"><site site="post"/><site site="a end"/></spatial></tendon>'
        '<equality><tendon tendon1="line"/></equality>'
    ),
    "two tendons": robot(
        '<joint name="a" axis="0 1 0"/><joint name="b" axis="1 0 0"/><geom size=".1" pos=".2 0 0"'
        "/>",
        tail='<tendon><fixed name="s"><joint joint="a" coef="1"/><joint joint="b" coef="2"/>'
        "</fixed>"
        '<fixed name="t"><joint joint="turn" coef="-1.5"/></fixed></tendon>'
        '<equality><tendon tendon1="s" tendon2="t" polycoef="0 2 1 0 0"/></equality>',
    ),
}  # fmt: skip
