"""The firmware on its boards: a chip's, as far as emulator and compiler go, and this machine."""

import ctypes
import shutil
import subprocess

import pytest

import touchback as tb
from emulated_key import FIRMWARE, EmulatedKey, built, needs_emulator
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from waiting import PATIENCE, until

NATIVE = FIRMWARE.parent / "src" / "touchback" / "native"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@needs_emulator
def test_on_an_stm32f405_in_emulation_line_ticks_and_resets_work_as_on_the_other(tmp_path) -> None:
    firmware = built(tmp_path, "-DFINGER=0.2f", "BOARD=stm32f405", "PLANT=1")
    m = tb.Model("spring")
    m.sensor("torque", tb.Signal(-4.0 * m.input("angle", unit="rad"), "N m"))
    m.sensor("seen", tb.Signal(m.signal("angle")))
    guard = GuardedOutput(safe=0.0, low=-1.0, high=1.0, at_limit="clip")
    inputs = {"angle": WatchedInput(max_age=0.5)}
    key = EmulatedKey(firmware, tmp_path, board="stm32f405")
    try:
        with SerialDevice(key.path, patience=PATIENCE) as device:
            until(lambda: "homed" in device.latest().words)
            with tb.live(m.compile(), rate=1000, inputs=inputs, outputs={"torque": guard}) as live:
                live.connect("angle", device)
                live.connect("torque", device)
                until(lambda: abs(live.read("seen") - 0.05) < 0.005)  # the spring carries 0.2 N m
                sessions = device.sessions
                key.reset()
                until(lambda: device.sessions > sessions)
                until(lambda: abs(live.read("seen") - 0.05) < 0.005)
            assert abs(device.clock.drift) < 1e-3  # its second is ours
            assert device.device_counts()["longest"] < 20_000
    finally:
        key.close()


@needs_emulator
def test_for_the_chip_itself_it_compiles_without_a_warning_and_has_its_vectors(tmp_path) -> None:
    firmware = built(tmp_path, "", "BOARD=stm32f405")
    shown = ["arm-none-eabi-objcopy", "-O", "binary", str(firmware), str(tmp_path / "flash")]
    subprocess.run(shown, check=True)
    flash = (tmp_path / "flash").read_bytes()
    words = [int.from_bytes(flash[4 * i : 4 * i + 4], "little") for i in range(16 + 82)]
    names = subprocess.run(["arm-none-eabi-nm", firmware], capture_output=True, text=True).stdout
    found = {line.split()[2]: int(line.split()[0], 16) for line in names.splitlines()}
    assert words[0] == 0x2002_0000  # the stack: the end of 128 KB
    # thumb code; SysTick, ADC (18) and USART1 (37) are those of ST's stm32f405xx.h
    for place, name in (
        (1, "reset"),
        (15, "tick_interrupt"),
        (34, "adc_interrupt"),
        (53, "usart_interrupt"),
    ):
        assert words[place] == found[name] | 1
    assert set(words) == {words[i] for i in (0, 1, 2, 15, 34, 53)}  # all others reset the chip
    assert not {"plant_follow", "malloc", "_sbrk"} & set(found)


@pytest.fixture(scope="module")
def pins(tmp_path_factory):
    """Encoder, bridge and converter of the STM32F405, on memory instead of registers."""
    folder = tmp_path_factory.mktemp("pins")
    memory = (
        "#include <stdint.h>\nstatic uint32_t at[4096], held[4096]; static int count, calls;\n"
        "uint32_t *fake(uint32_t address) { for (int i = 0; i < count; i++) if (at[i] == address)\n"
        "return held + i; at[count] = address; return held + count++; }\n"
        "void key_fast(void) { calls++; }\nint key_calls(void) { return calls; }\n"
    )
    (folder / "fake.c").write_text(memory)
    sources = [folder / "fake.c", FIRMWARE / "boards" / "stm32f405" / "motor_pins.c"]
    command = [
        "cc",
        "-shared",
        "-fPIC",
        "-DREGISTER(a)=(*(volatile uint32_t *)fake((uint32_t)(a)))",
    ]
    command += ["-include", "stdint.h", "-include", str(folder / "fake.h"), f"-I{FIRMWARE}"]
    command += [f"-I{FIRMWARE / 'boards' / 'stm32f405'}", f"-I{NATIVE}"]
    (folder / "fake.h").write_text("uint32_t *fake(uint32_t address);\n")
    library = folder / "pins.so"
    subprocess.run([*command, *map(str, sources), "-o", str(library)], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.fake.restype = ctypes.POINTER(ctypes.c_uint32)
    return loaded


@needs_compiler
def test_the_bridge_is_off_until_the_current_s_zero_is_known_and_then_chopped_either_way(
    pins,
) -> None:
    CCR1, CCR2, JDR1, BSRR = 0x4001_0034, 0x4001_0038, 0x4001_203C, 0x4002_0418
    pins.board_motor()
    assert pins.fake(BSRR)[0] == 1 << 16  # enable is low
    pins.fake(JDR1)[0] = 2100  # the amplifier's zero is off by 52 counts
    for _ in range(256):
        assert pins.fake(BSRR)[0] == 1 << 16 and pins.key_calls() == 0
        pins.adc_interrupt()
    assert pins.fake(BSRR)[0] == 1
    pins.adc_interrupt()
    assert pins.key_calls() == 1  # the current loop, from now on
    pins.fake(JDR1)[0] = 2100 + 248  # 10 mOhm × 20 × 1 A = 0.2 V of 3.3 V in 4096
    assert abs(pins.hardware_current() - 1000) <= 4
    pins.fake(JDR1)[0] = 2100 - 248
    assert abs(pins.hardware_current() + 1000) <= 4
    for millivolts, duties in ((6000, (1750, 0)), (-12000, (0, 3500)), (0, (0, 0))):
        pins.hardware_drive(millivolts)
        assert (pins.fake(CCR1)[0], pins.fake(CCR2)[0]) == duties


@needs_compiler
def test_current_loops_come_8000_times_a_second_and_edges_of_both_channels_count(pins) -> None:
    """RM0090: up and down to ARR at 168 MHz, an update each RCR + 1 ends of a count."""
    pins.board_motor()
    arr, rcr = pins.fake(0x4001_002C)[0], pins.fake(0x4001_0030)[0]
    assert 168e6 / (2 * arr) == 24_000
    assert 2 * 24_000 / (rcr + 1) == 8000 and rcr % 2  # odd: always the same end
    assert pins.fake(0x4000_0408)[0] == 3  # TIM3 in encoder mode 3
    assert pins.fake(0x4000_042C)[0] == 0xFFFF
    pins.fake(0x4000_0424)[0] = 65_000
    pins.hardware_counter.restype = ctypes.c_uint16
    assert pins.hardware_counter() == 65_000


@needs_compiler
def test_as_a_program_of_this_machine_it_is_the_same_key_without_an_emulator(tmp_path) -> None:
    firmware = built(tmp_path, "-DFINGER=0.3f", "BOARD=host", "RATE=4000")
    process = subprocess.Popen([firmware], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        with SerialDevice(process.stdout.readline().strip(), patience=PATIENCE) as device:
            assert device.simulated and device.period == pytest.approx(1 / 4000)
            until(lambda: "homed" in device.latest().words)
            until(lambda: device.latest().axes[0]["position"] > 0.08)  # the finger, at the stop
            assert device.counts["damaged"] == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
