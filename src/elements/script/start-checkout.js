import { startChallenge, startReturned } from './challenge.js'
import { startCheckout } from './checkout.js'
import { readConfig } from './frame.js'
import { startThreeDSMethod } from './three-ds-method.js'

const checkoutConfig = /** @type {import('./frame.js').CheckoutFrameConfig} */ (readConfig())

if (checkoutConfig.view === 'checkout') startCheckout(checkoutConfig)
else if (checkoutConfig.view === 'challenge') startChallenge(checkoutConfig)
else if (checkoutConfig.view === 'method') startThreeDSMethod(checkoutConfig)
else startReturned(checkoutConfig)
