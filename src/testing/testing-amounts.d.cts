/** Amounts, in the smallest unit of the currency, that decide the outcome of a payment; any other amount is approved. */
export interface Amounts {
  /** An amount that is approved. */
  readonly approved: 1299
  /** Half of it is approved, if the payment allows a partial authorization. */
  readonly partlyApproved: 560001
  /** The payment service declines: `authorization_failed`, with the name as its `error_code` (`insufficient_funds`). */
  readonly declined: {
    readonly canceledPaymentMethod: 200001
    readonly expiredAuthorization: 200004
    readonly expiredPaymentMethod: 200005
    readonly incorrectBillingAddress: 200006
    readonly incorrectCountry: 200007
    readonly incorrectCurrency: 200008
    readonly incorrectCvv: 200009
    readonly incorrectExpiryDate: 200010
    readonly insufficientFunds: 200011
    readonly issuerDecline: 200012
    readonly otherDecline: 200013
    readonly refusedTransaction: 200015
    readonly serviceDecline: 200016
    readonly suspectedFraud: 200017
  }
  /** The payment service fails: `authorization_failed`, with the name as its `error_code`. */
  readonly failed: {
    readonly disputedTransaction: 200002
    readonly duplicateTransaction: 200003
    readonly requiresBuyerAuthentication: 200014
    readonly unavailablePaymentMethod: 200018
    readonly unknownPaymentMethod: 200019
    readonly unsupportedTransaction: 200020
    readonly unsupportedPaymentMethod: 200021
    readonly cancelledBuyerApproval: 200022
    readonly insufficientServicePermissions: 300001
    readonly invalidAmount: 300002
    readonly invalidPaymentMethod: 300003
    readonly invalidServiceConfiguration: 300004
    readonly invalidServiceCredentials: 300005
    readonly invalidServiceResponse: 300006
    readonly invalidTaxIdentifier: 300007
    readonly missingBillingAddress: 300008
    readonly missingCvv: 300009
    readonly missingShippingAddress: 300010
    readonly missingTaxIdentifier: 300011
    readonly refundPeriodExpired: 300012
    readonly serviceError: 300013
    readonly serviceNetworkError: 300014
    readonly serviceRateLimit: 300015
    readonly internalError: 400001
    readonly invalidBillingAddress: 400002
    readonly invalidOperation: 400003
    readonly invalidRequestParameters: 400004
    readonly invalidServiceRequest: 400005
    readonly invalidShippingAddress: 400006
    readonly serviceResourceConflict: 400007
    readonly unexpectedState: 400008
    readonly unknownError: 400009
    readonly unknownServiceResource: 400010
    readonly unsupportedCountry: 400011
    readonly unsupportedCurrency: 400012
    readonly unrecognisedCountry: 400013
    readonly unrecognisedCurrency: 400014
    readonly unrecognisedPaymentMethod: 400015
    readonly unrecognisedScheme: 400016
    readonly unsupportedScheme: 400017
  }
  /** Stays pending until it is looked up or the payment service notifies. Authorize or capture this amount; of a void, the authorized amount. */
  readonly pending: {
    readonly authorization: 540001
    readonly capture: 500003
    readonly void: 510003
    readonly refund: 520005
    readonly payout: 530003
    readonly increment: 550001
  }
  /** Authorized, and refused later: the capture, refund, payout or increment of this amount, the void of an authorization of this amount. */
  readonly refused: {
    readonly captureFailed: 500001
    readonly captureDeclined: 500002
    readonly voidFailed: 510001
    readonly voidDeclined: 510002
    readonly refundFailed: 520001
    readonly refundDeclined: 520002
    readonly payoutDeclined: 530001
    readonly payoutFailed: 530002
    readonly incrementFailed: 550002
  }
  /** The lines of settlement reports about a capture of this amount. */
  readonly settled: {
    readonly chargedBack: 570001
    readonly chargedBackAndReversed: 570002
    readonly inTwoParts: 570003
    readonly inAnotherCurrency: 570004
  }
}
