import type { WalPosition } from './wal-position.ts'

/** How far a replica is behind the primary. */
export interface Lag {
  /** The age of the oldest position that the replica has not replayed; 0: it has replayed all that is known. */
  seconds: number
  bytes: number
}

/** Positions of the primary that a replica has not replayed yet. More are thinned out. */
const MAX_POSITIONS = 4_096

/** The bytes of the write-ahead log before a position, such as `16/B374D848`. */
export function bytesBefore(lsn: string): bigint {
  const [high = '', low = ''] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/**
 * Follows the lag of a replica from positions of the primary, in their order. Seconds are counted with the
 * clock of this process alone: the replica's may be wrong, and an idle primary commits nothing whose time it
 * could tell. Positions of an earlier history of the log are forgotten: a primary that was put back to a
 * snapshot may take days until it is beyond them.
 */
export function followLag(): {
  /** The primary was at this position at `at`, in milliseconds of `performance.now()`. */
  primaryAt(position: WalPosition, at: number): void
  /** The replica has replayed up to this position. */
  replayed(lsn: string): void
  lagAt(at: number): Lag
} {
  let waiting: { bytes: bigint; at: number }[] = []
  let history: string | undefined
  let primary = 0n
  let replica = 0n
  return {
    primaryAt({ lsn, mark }, at) {
      if (mark !== history) waiting = []
      history = mark
      primary = bytesBefore(lsn)
      waiting.push({ bytes: primary, at })
      if (waiting.length > MAX_POSITIONS) waiting = waiting.filter((_, index) => index % 2 === 0)
    },
    replayed(lsn) {
      replica = bytesBefore(lsn)
      waiting = waiting.filter(({ bytes }) => bytes > replica)
    },
    lagAt(at) {
      const [oldest] = waiting
      return {
        seconds: oldest ? (at - oldest.at) / 1_000 : 0,
        bytes: primary > replica ? Number(primary - replica) : 0,
      }
    },
  }
}
