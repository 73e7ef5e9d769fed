// Strings as sums of fading sines, one sample after the other: what instruments/sound computes, while it sounds.
// A voice has modes z (complex), which turn and fade by a factor each sample; its sound is the sum of their real parts.
const SILENT = 1e-5; // N at the bridge, summed over modes: a voice below it ends
const LOUD = 1 / 45; // of full scale a newton; beyond it is rounded off

class Strings extends AudioWorkletProcessor {
  constructor() {
    super();
    this.voices = new Map();
    this.waiting = [];
    this.begun = []; // strikes whose first sample is in the block that is being computed
    this.port.onmessage = ({ data }) => this.waiting.push(data);
  }

  /** A strike adds to what the string does already. */
  strike({ note, id, pulsation, decay, cosine, sine, damper, attack }) {
    const n = pulsation.length, key = `${note}`;
    let voice = this.voices.get(key);
    if (!voice || voice.n !== n || voice.first !== pulsation[0]) {
      voice = { n, first: pulsation[0], re: new Float64Array(n), im: new Float64Array(n), turn: new Float64Array(n), wind: new Float64Array(n) };
      for (let k = 0; k < n; k++) {
        const fade = Math.exp(-decay[k] / sampleRate), angle = pulsation[k] / sampleRate;
        voice.turn[k] = fade * Math.cos(angle);
        voice.wind[k] = fade * Math.sin(angle);
      }
      this.voices.set(key, voice);
    }
    if (attack) { voice.re.fill(0); voice.im.fill(0); voice.open = 0; }
    for (let k = 0; k < n; k++) { voice.re[k] += cosine[k]; voice.im[k] -= sine[k]; }
    voice.rise = attack ? Math.exp(-attack / sampleRate) : 0;
    voice.damper = damper;
    voice.fade = 1; // of a sample, by the damper: with a share of its weight on the string, that share of its rate
    if (id !== undefined) this.begun.push({ begun: id, note, frame: currentFrame });
  }

  obey() {
    for (const each of this.waiting) {
      if (each.do === "strike") this.strike(each);
      else if (each.do === "damp" && this.voices.has(`${each.note}`)) this.damp(this.voices.get(`${each.note}`), each.share);
      else if (each.do === "silence") this.voices.clear();
    }
    this.waiting.length = 0;
  }

  damp(voice, share) { voice.fade = Math.exp(-voice.damper * share / sampleRate); }

  process(_, outputs) {
    this.obey();
    const out = outputs[0][0];
    out.fill(0);
    for (const [key, voice] of this.voices) {
      if (!this.sound(voice, out)) this.voices.delete(key);
    }
    for (const each of this.begun) this.port.postMessage(each); // two strikes of a string in one block are two
    this.begun.length = 0;
    for (let i = 0; i < out.length; i++) out[i] = Math.tanh(out[i] * LOUD);
    for (let c = 1; c < outputs[0].length; c++) outputs[0][c].set(out);
    return true;
  }

  /** Adds a voice to a block; tells whether it still sounds. */
  sound(voice, out) {
    const { n, re, im, turn, wind } = voice, length = out.length;
    let left = 0;
    const { fade } = voice, whole = fade ** length;
    for (let k = 0; k < n; k++) {
      let x = re[k], y = im[k], gain = 1;
      const c = turn[k], s = wind[k];
      if (voice.rise) {
        let open = voice.open;
        for (let i = 0; i < length; i++) {
          open = 1 - (1 - open) * voice.rise;
          out[i] += x * gain * open;
          gain *= fade;
          const next = x * c - y * s;
          y = x * s + y * c;
          x = next;
        }
        if (k === n - 1) voice.open = open;
      } else {
        for (let i = 0; i < length; i++) {
          out[i] += x * gain;
          gain *= fade;
          const next = x * c - y * s;
          y = x * s + y * c;
          x = next;
        }
      }
      re[k] = x * whole;
      im[k] = y * whole;
      left += Math.abs(re[k]) + Math.abs(im[k]);
    }
    return left > SILENT;
  }
}

registerProcessor("touchback-strings", Strings);
