/**
 * What timelines and calls to payment services are made of. Deflate refers to these texts instead of writing
 * them; the most frequent stand last. Rows are packed with them for ever: never change one, add another.
 */
const first = `{"object":"payment_intent","amount_capturable":0,"amount_details":{"tip":{}},"amount_received":0,"application":null,"application_fee_amount":null,\
"automatic_payment_methods":null,"canceled_at":null,"cancellation_reason":null,"capture_method":"manual","client_secret":"***","confirmation_method":"automatic","confirm":true,\
"created":,"customer":null,"invoice":null,"last_payment_error":null,"latest_charge":{"id":"ch_","object":"charge","amount_captured":0,"amount_refunded":0,"balance_transaction":null,\
"captured":false,"failure_code":null,"failure_message":null,"fraud_details":{},"outcome":{"network_status":"approved_by_network","reason":null,"risk_level":"normal",\
"seller_message":"Payment complete.","type":"authorized"},"paid":true,"payment_method_details":{"card":{"amount_authorized":,"authorization_code":"","brand":"visa",\
"checks":{"address_line1_check":null,"address_postal_code_check":null,"cvc_check":"pass"},"exp_month":,"exp_year":,"fingerprint":"","funding":"credit","installments":null,\
"last4":"","mandate":null,"network":"visa","network_transaction_id":"","three_d_secure":null,"wallet":null},"type":"card"},"receipt_email":null,"refunded":false,"refunds":[]},\
"livemode":false,"on_behalf_of":null,"payment_method_options":{"card":{"request_three_d_secure":"automatic"}},"payment_method_types":["card"],"processing":null,"review":null,\
"setup_future_usage":null,"shipping":null,"source":null,"statement_descriptor":null,"status":"requires_capture","status":"succeeded","transfer_data":null,"transfer_group":null}\
{"merchantAccount":"","amount":{"currency":"EUR","value":},"paymentMethod":{"type":"scheme","encryptedCardNumber":"***","encryptedExpiryMonth":"***","encryptedSecurityCode":"***",\
"holderName":""},"shopperReference":"","shopperInteraction":"Ecommerce","recurringProcessingModel":"CardOnFile","returnUrl":"","merchantReference":"","pspReference":"",\
"resultCode":"Authorised","additionalData":{"authCode":"","avsResult":"","cvcResult":"","cardSummary":"","networkTxReference":"","paymentMethodVariant":"","refusalReasonRaw":""}}\
{"source":{"type":"token","token":""},"reference":"","capture":false,"processing_channel_id":"","3ds":{"enabled":false},"action_id":"","approved":true,"auth_code":"",\
"response_code":"10000","response_summary":"Approved","risk":{"flagged":false},"_links":{"self":{"href":"https://api."},"actions":{"href":"https://api."}}}\
{"name":"three-d-secure-authentication-request"},{"name":"payment-services-skipped"},{"name":"payment-connector-response-transaction-void-succeeded","voided_at":"},\
{"name":"payment-connector-response-transaction-authorization-failed"},{"name":"payment-connector-transaction-webhook-processed"},\
{"name":"transaction-api-request","context":{"method":"POST","url":"/transactions//refunds","request":{"amount":,"reason":"","external_identifier":""}}},\
{"name":"payment-connector-response-transaction-capture-succeeded"},"status":"capture_succeeded","previous_status":"authorization_succeeded",\
{"name":"payment-connector-response-transaction-declined","context":{"status":"declined","code":"insufficient_funds"}},"status":"authorization_declined",\
"instrument_type":"network_token","instrument_type":"card_token","avs_response_code":null,"cvv_response_code":null,"payment_method_scheme":"mastercard","currency":"EUR","currency":"GBP",\
"country":"DE","country":"GB","shipping_details":{},"cart_items":[{"name":"","quantity":1,"unit_amount":,"sku":"","product_url":"","image_url":"","categories":[]}],\
"statement_descriptor":{"name":"","description":""},"payment_source":"recurring","merchant_initiated":false,"is_subsequent_payment":false,"intent":"capture","store":true,\
"payment_method":{"method":"id","id":""},"buyer_id":"","browser_info":{"java_enabled":false,"javascript_enabled":true,"language":"en-US","color_depth":24,"screen_height":,\
"screen_width":,"time_zone_offset":,"user_device":"desktop","user_agent":"Mozilla/5.0 (","accept_header":"text/html"},"redirect_url":"https://","three_d_secure_data":{},"tax_id":null,\
"phone_number":"+","state":"","state_code":"US-","house_number_or_name":"","line2":null,"organization":null,\
[{"id":"","method":"POST","url":"https://api./v1/payments/captures","request":{"kind":"authorize","amount":,"currency":"USD",\
"card":{"number":"******","expiration_date":"12/","security_code":"***"},"billing_postal_code":"","allow_partial":false,"merchant_advice_code":null,\
"notification_url":"http://127.0.0.1:/notifications/default//***"},"response":{"key":"","kind":"authorize","id":"aut_","payment_id":"pay_","amount":,"currency":"USD",\
"status":"approved","code":null,"raw_response_code":null,"raw_response_description":null,"auth_response_code":"00","iso_response_code":"00","avs_response_code":"match",\
"cvv_response_code":"match","scheme_transaction_id":"","merchant_advice_code":null,"authorization_expires_at":"2026-12-","processed_at":"2026-11-"},"status":201,"status":200,\
"started_at":"2026-","ended_at":"2026-"}]\
[{"id":"01a","name":"transaction-api-request","created_at":"2026-","context":{"method":"POST","url":"/transactions","request":{"amount":,"currency":"USD","country":"US",\
"external_identifier":"order-","payment_method":{"method":"card","number":"411111******1111","expiration_date":"12/","security_code":"***"},"buyer":{"display_name":"",\
"external_identifier":"customer-","billing_details":{"first_name":"","last_name":"","email_address":"@example.com","address":{"line1":"","city":"","country":"US","postal_code":""}}},\
"metadata":{"":""}}}},{"id":"01a","name":"bin-lookup-request","created_at":"2026-","context":{"response":null,"response_status_code":null,"success":true,"bin":"",\
"instrument":"pan","type":"credit","scheme":"visa","additional_schemes":[],"country_code":"US","supports_network_tokens":false}}]\
[{"id":"01a","name":"payment-connector-response-transaction-authorization-succeeded","created_at":"2026-","context":{"payment_service_id":"01a","payment_service_display_name":"",\
"payment_service_definition_id":"mock-card","payment_service_transaction_id":"pay_01a","status":"approved","instrument_type":"pan","retry_rule":null,"raw_response_code":null,\
"raw_response_description":null,"avs_response_code":"match","cvv_response_code":"match","payment_method_scheme":"visa"}},{"id":"01a","name":"transaction-updated-status",\
"created_at":"2026-","context":{"status":"authorization_succeeded","previous_status":"processing"}},{"id":"01a","name":"transaction-api-response","created_at":"2026-",\
"context":{"response":{"type":"transaction","id":"01a"},"response_status_code":201}}]`

/** Not a small number, so that a search of files recognizes a block (`test/secrets/search.ts`). */
export const NEWEST_DICTIONARY = 0xd1

/** By their numbers. */
export const dictionaries: Readonly<Record<number, Buffer>> = {
  [NEWEST_DICTIONARY]: Buffer.from(first),
}
