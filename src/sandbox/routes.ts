import type { Routes } from '../api/routes.ts'
import { clockRoutes } from './clock/clock.routes.ts'
import { walletDeviceRoutes } from './devices/device.routes.ts'
import { faultRoutes } from './faults/fault.routes.ts'
import { pageRoutes } from './page/page.routes.ts'
import { simulateRoutes } from './simulate/simulate.routes.ts'

/** What the API has in the sandbox only. `simulatorUrl` is where the simulated providers are. */
export const routes = (simulatorUrl: string): readonly Routes[] => [
  clockRoutes,
  faultRoutes(simulatorUrl),
  simulateRoutes(simulatorUrl),
  pageRoutes(simulatorUrl),
  walletDeviceRoutes,
]
