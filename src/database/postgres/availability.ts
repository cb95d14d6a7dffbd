import { Socket } from 'node:net'

/** Whether PostgreSQL answers this process, and every socket to it. */
export interface DatabaseAvailability {
  /** True while nobody is answered: requests are refused at once, instead of each finding out for itself. */
  readonly isUnavailable: boolean
  /** A socket for a new connection; while nobody is answered it is ended at once, since whoever waits has waited already. */
  socket(): Socket
  /** The same for whoever finds out that somebody answers again. */
  listenerSocket(): Socket
  /** Bytes that came from it over all connections so far. */
  receivedBytes(): number
  /** Somebody was answered. */
  markAvailable(): void
  /** Nobody is. Ends every connection, so that whoever waits is told: packets that vanish would keep them for a quarter of an hour. */
  markUnavailable(): void
}

export function watchAvailability(): DatabaseAvailability {
  const open = new Set<Socket>()
  let isAway = false
  let receivedBefore = 0
  const listenersSocket = () => {
    const socket = new Socket()
    open.add(socket)
    return socket.once('close', () => {
      open.delete(socket)
      receivedBefore += socket.bytesRead
    })
  }
  return {
    get isUnavailable() {
      return isAway
    },
    listenerSocket: listenersSocket,
    socket() {
      const socket = listenersSocket()
      if (isAway) setImmediate(() => socket.destroy(new Error(TERMINATED)))
      return socket
    },
    receivedBytes() {
      let bytes = receivedBefore
      for (const { bytesRead } of open) bytes += bytesRead
      return bytes
    },
    markAvailable() {
      isAway = false
    },
    markUnavailable() {
      isAway = true
      for (const socket of open) socket.destroy(new Error(TERMINATED))
    },
  }
}

const TERMINATED = 'Connection terminated: the database does not answer'
