import { startChallenge, startReturned } from './challenge.js'
import { startCheckout } from './checkout.js'
import { readConfig } from './frame.js'

const checkoutConfig = readConfig()

if (checkoutConfig.view === 'checkout') startCheckout(checkoutConfig)
else if (checkoutConfig.view === 'challenge') startChallenge(checkoutConfig)
else startReturned(checkoutConfig)
