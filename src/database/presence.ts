import { Socket } from 'node:net'

/** Whether PostgreSQL answers this process, and every socket to it. */
export interface Presence {
  /** True while nobody is answered: requests are refused at once, instead of each finding out for itself. */
  readonly isAway: boolean
  /** A socket for a new connection. */
  socket(): Socket
  /** Somebody was answered. */
  heard(): void
  /** Nobody is. Ends every connection, so that whoever waits is told: packets that vanish would keep them for a quarter of an hour. */
  gone(): void
}

export function watchPresence(): Presence {
  const open = new Set<Socket>()
  let isAway = false
  return {
    get isAway() {
      return isAway
    },
    socket() {
      const socket = new Socket()
      open.add(socket)
      return socket.once('close', () => open.delete(socket))
    },
    heard() {
      if (!isAway) return
      isAway = false
      // their first packet is lost, and the next goes out when somebody has waited for seconds
      for (const socket of open) if (socket.connecting) socket.destroy(new Error(TERMINATED))
    },
    gone() {
      isAway = true
      for (const socket of open) socket.destroy(new Error(TERMINATED))
    },
  }
}

const TERMINATED = 'Connection terminated: the database does not answer'
