// Where messages come from: the server's socket, or a file that holds finished recordings. Both have the same face,
// {send(message), onmessage, close()}, so that the page does not know which it is.

const VERSION = 1;

/** @typedef {{send: (message: Object) => void, onmessage: (message: Object) => void, close: () => void}} Transport */

/** @param {string} url of the page @param {string} token @returns {Transport} */
export function openSocket(url, token) {
  const address = new URL("socket", url);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  address.search = new URLSearchParams({ token }).toString();
  const socket = new WebSocket(address);
  const transport = {
    onmessage: () => {},
    send: (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ v: VERSION, ...message })),
    close: () => socket.close(),
  };
  socket.addEventListener("message", (event) => transport.onmessage(JSON.parse(event.data)));
  const lost = "the connection to the server is lost; start it again and open the address it prints";
  const gone = { type: "error", id: null, slot: null, message: lost, parameter: null };
  socket.addEventListener("close", () => transport.onmessage(gone));
  return transport;
}

/** @param {{head: Object, steps: Array}[]} recordings @returns {Transport} */
export function openFile(recordings) {
  const transport = { onmessage: () => {}, send: () => {}, close: () => {} };
  queueMicrotask(() => recordings.forEach(({ head, steps }, slot) => {
    transport.onmessage({ type: "recording", id: slot, slot, head });
    transport.onmessage({ type: "frames", id: slot, slot, from: 0, steps, last: true });
  }));
  return transport;
}
