import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

/** The zone in which times are shown: the person's, or UTC, in which reports and settlement days are counted. */
export type Zone = 'local' | 'UTC'

interface ZoneChoice {
  zone: Zone
  /** Its name, such as `Europe/Berlin`. */
  name: string
  choose: (zone: Zone) => void
}

const ZoneContext = createContext<ZoneChoice | undefined>(undefined)
const STORED = 'railyard.zone'

export function ZoneProvider({ children }: { children: ReactNode }): ReactNode {
  const [zone, setZone] = useState<Zone>(() => (localStorage.getItem(STORED) === 'UTC' ? 'UTC' : 'local'))
  const choice = useMemo(
    () => ({
      zone,
      name: zone === 'UTC' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone,
      choose: (next: Zone) => {
        localStorage.setItem(STORED, next)
        setZone(next)
      },
    }),
    [zone],
  )
  return <ZoneContext value={choice}>{children}</ZoneContext>
}

export function useZone(): ZoneChoice {
  const choice = useContext(ZoneContext)
  if (!choice) throw new Error('no zone')
  return choice
}
