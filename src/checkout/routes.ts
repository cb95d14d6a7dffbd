import type { Routes } from '../api/routes.ts'
import { cardDetailsRoutes } from './cards/card-details.routes.ts'
import { delegatePaymentRoutes } from './delegated-payments/delegate-payment.routes.ts'
import { appleDomainRoutes } from './digital-wallets/apple-domain.ts'
import { applePayCertificateRoutes } from './digital-wallets/apple-pay-certificate.routes.ts'
import { digitalWalletRoutes } from './digital-wallets/digital-wallet.routes.ts'
import { walletSessionRoutes } from './digital-wallets/wallet-session.routes.ts'
import { paymentOptionRoutes } from './payment-options/payment-option.routes.ts'
import { checkoutSessionRoutes } from './sessions/checkout-session.routes.ts'
import { sessionFieldsRoutes } from './sessions/session-fields.routes.ts'
import { usableMethodRoutes } from './stored-methods/usable-methods.routes.ts'

export const routes: readonly Routes[] = [
  digitalWalletRoutes,
  applePayCertificateRoutes,
  walletSessionRoutes,
  appleDomainRoutes,
  cardDetailsRoutes,
  checkoutSessionRoutes,
  sessionFieldsRoutes,
  paymentOptionRoutes,
  usableMethodRoutes,
  delegatePaymentRoutes,
]
