// The whole state in a link: points, procedures, parameters, seed and step, deflated and written in the alphabet of
// URLs after the #, so that it never leaves the browser unless its reader sends it.

const PREFIX = "#s=";

async function through(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** @param {import("./state.js").Store} store @returns {Promise<string>} the part of the link from the # on */
export async function encoded(store) {
  const [first, ...others] = store.slots.map(({ procedure, parameters }) => ({ procedure, parameters }));
  const state = {
    v: 1, points: store.points, title: store.title, ...first, race: others.length ? others : null,
    seed: store.seed, one_feature: store.oneFeature, step: store.step,
  };
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return PREFIX + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} hash @returns {Promise<Object | null>} null where the link holds no state that can be read */
export async function decoded(hash) {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    const letters = atob(hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    return state.v === 1 ? state : null;
  } catch {
    return null;
  }
}
