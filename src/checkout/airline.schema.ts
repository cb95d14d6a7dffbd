import { type Static, Type } from 'typebox'
import {
  Amount,
  CalendarDate,
  Closed,
  Country,
  Nullable,
  Personal,
  PhoneNumber,
  Text,
  Timestamp,
  Words,
} from '../api/schema.ts'

export const AirlineLeg = Closed('AirlineLeg', {
  arrival_airport: Type.Optional(Nullable(Text(3, 3))),
  arrival_at: Type.Optional(Nullable(Timestamp)),
  arrival_city: Type.Optional(Nullable(Text(1, 100))),
  arrival_country: Type.Optional(Nullable(Country)),
  carrier_code: Type.Optional(Nullable(Text(2, 3))),
  carrier_name: Type.Optional(Nullable(Type.String({ minLength: 1 }))),
  iata_designator: Type.Optional(Nullable(Text(2, 2))),
  icao_code: Type.Optional(Nullable(Text(3, 3))),
  coupon_number: Type.Optional(Nullable(Text(1, 50))),
  departure_airport: Type.Optional(Nullable(Text(3, 3))),
  departure_at: Type.Optional(Nullable(Timestamp)),
  departure_city: Type.Optional(Nullable(Text(1, 100))),
  departure_country: Type.Optional(Nullable(Country)),
  departure_tax_amount: Type.Optional(Nullable(Amount)),
  fare_amount: Type.Optional(Nullable(Amount)),
  fare_basis_code: Type.Optional(Nullable(Text(1, 8))),
  fee_amount: Type.Optional(Nullable(Amount)),
  flight_class: Type.Optional(Nullable(Text(1, 5))),
  flight_number: Type.Optional(Nullable(Text(3, 6))),
  route_type: Type.Optional(Nullable(Words('round_trip', 'one_way'))),
  seat_class: Type.Optional(Nullable(Text(1, 5))),
  stop_over: Type.Optional(Nullable(Type.Boolean())),
  tax_amount: Type.Optional(Nullable(Amount)),
})
export type AirlineLeg = Static<typeof AirlineLeg>

export const AirlinePassenger = Closed('AirlinePassenger', {
  age_group: Type.Optional(Nullable(Words('adult', 'infant'))),
  date_of_birth: Type.Optional(Nullable(CalendarDate)),
  email_address: Type.Optional(Nullable(Text(1, 320))),
  first_name: Type.Optional(Nullable(Text(1, 255))),
  frequent_flyer_number: Type.Optional(Nullable(Text(5, 50))),
  last_name: Type.Optional(Nullable(Text(1, 255))),
  passport_number: Type.Optional(Nullable(Text(1, 50))),
  phone_number: Type.Optional(Nullable(PhoneNumber)),
  ticket_number: Type.Optional(Nullable(Text(1, 50))),
  title: Type.Optional(Nullable(Text(1, 50))),
  country_code: Type.Optional(Nullable(Country)),
})
export type AirlinePassenger = Static<typeof AirlinePassenger>

export const Airline = Closed('Airline', {
  booking_code: Type.Optional(Personal(Nullable(Text(1, 50)))),
  is_cardholder_traveling: Type.Optional(Nullable(Type.Boolean())),
  issued_address: Type.Optional(Personal(Nullable(Text(1, 255)))),
  issued_at: Type.Optional(Nullable(Timestamp)),
  issuing_carrier_code: Type.Optional(Nullable(Text(2, 3))),
  issuing_carrier_name: Type.Optional(Nullable(Type.String({ minLength: 1 }))),
  issuing_iata_designator: Type.Optional(Nullable(Text(2, 2))),
  issuing_icao_code: Type.Optional(Nullable(Text(3, 3))),
  legs: Type.Optional(Nullable(Type.Array(AirlineLeg, { maxItems: 20 }))),
  passenger_name_record: Type.Optional(Personal(Nullable(Text(1, 50)))),
  passengers: Type.Optional(Personal(Nullable(Type.Array(AirlinePassenger, { maxItems: 20 })))),
  reservation_system: Type.Optional(Nullable(Text(1, 200))),
  restricted_ticket: Type.Optional(Nullable(Type.Boolean())),
  ticket_delivery_method: Type.Optional(Nullable(Words('electronic', 'other'))),
  ticket_number: Type.Optional(Personal(Nullable(Text(1, 50)))),
  travel_agency_code: Type.Optional(Nullable(Text(1, 50))),
  travel_agency_invoice_number: Type.Optional(Nullable(Text(1, 50))),
  travel_agency_name: Type.Optional(Nullable(Text(1, 200))),
  travel_agency_plan_name: Type.Optional(Nullable(Text(1, 200))),
})
export type Airline = Static<typeof Airline>
