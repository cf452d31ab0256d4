package evidence

import (
	"math/big"
	"strings"
)

// A unit is a multiple of the first one of its dimension.
type unit struct {
	dimension string
	factor    *big.Rat
}

// units are the ones that are converted into each other: exact factors by definition (SI brochure, 9th edition; the
// international yard and pound of 1959). A currency is a dimension of its own.
var units = func() map[string]unit {
	m := map[string]unit{}
	for _, line := range strings.Split(strings.TrimSpace(`
length 1 m metre metres meter meters
length 1000 km kilometre kilometres kilometer kilometers kms
length 1/100 cm centimetre centimetres centimeter centimeters
length 1/1000 mm millimetre millimetres millimeter millimeters
length 1/1000000 µm μm micrometre micrometres micrometer micrometers micron microns
length 1/1000000000 nm nanometre nanometres nanometer nanometers
length 1609344/1000 mi mile miles
length 3048/10000 ft foot feet
length 254/10000 inch inches
length 9144/10000 yd yard yards
mass 1 kg kilogram kilograms kilogramme kilogrammes kgs
mass 1/1000 g gram grams gramme grammes
mass 1/1000000 mg milligram milligrams
mass 1000 t tonne tonnes
mass 45359237/100000000 lb lbs pound pounds
mass 28349523125/1000000000000 oz ounce ounces
time 1 s sec secs second seconds
time 1/1000 ms millisecond milliseconds
time 60 min mins minute minutes
time 3600 h hr hrs hour hours
time 86400 d day days
time 604800 week weeks
volume 1 l litre litres liter liters
volume 1/1000 ml millilitre millilitres milliliter milliliters
volume 1000 m3 m³ m^3
area 1 m2 m² m^2
area 1000000 km2 km² km^2
area 10000 ha hectare hectares
speed 1 m/s mps
speed 1000/3600 km/h kmh kph
speed 1609344/3600000 mph
speed 1000 km/s
speed 1609344/1000 mi/s
speed 3048/10000 ft/s
speed 1000/60 km/min
speed 1/60 m/min
speed 1/3600 m/h
speed 1/100 cm/s
speed 1852/3600 knot knots
acceleration 1 m/s2 m/s² m/s^2
density 1 kg/m3 kg/m³ kg/m^3
density 1000 g/cm3 g/cm³ g/cm^3 g/ml kg/l
length 1852 nmi
mass 200/1000000 carat carats
time 1/1000000 µs μs microsecond microseconds
time 1/1000000000 ns nanosecond nanoseconds
volume 3785411784/1000000000 gallon gallons gal
volume 1/1000 cm3 cm³ cm^3 cc
volume 1/100 cl centilitre centilitres centiliter centiliters
area 1/10000 cm2 cm² cm^2
area 40468564224/10000000 acre acres
energy 1000000 mj megajoule megajoules
energy 4184/1000 cal calorie calories
energy 4184 kcal kilocalorie kilocalories
energy 3600 wh
power 1000000 megawatt megawatts
power 1000000000 gw gigawatt gigawatts
pressure 100 hpa
pressure 1000000 mpa
pressure 101325 atm
frequency 1000 khz
frequency 1000000 mhz
frequency 1000000000 ghz
data 1 byte bytes
data 1000 kb kilobyte kilobytes
data 1000000 mb megabyte megabytes
data 1000000000 gb gigabyte gigabytes
data 1000000000000 tb terabyte terabytes
data 1024 kib
data 1048576 mib
data 1073741824 gib
data 1/8 bit bits
energy 1 j joule joules
energy 1000 kj kilojoule kilojoules
energy 3600000 kwh
power 1 w watt watts
power 1000 kw kilowatt kilowatts
force 1 n newton newtons
pressure 1 pa pascal pascals
pressure 1000 kpa
pressure 100000 bar
charge 1 coulomb coulombs
voltage 1 v volt volts
current 1 amp amps ampere amperes
frequency 1 hz hertz
kelvin 1 k kelvin kelvins
celsius 1 °c celsius
fahrenheit 1 °f fahrenheit
angle 1 ° degree degrees deg
usd 1 $ usd dollar dollars us$
usd 1/100 cent cents
eur 1 € eur euro euros
gbp 1 £ gbp
jpy 1 ¥ jpy yen
inr 1 ₹ inr rupee rupees
chf 1 chf
cad 1 cad
aud 1 aud
nzd 1 nzd
cny 1 cny yuan renminbi
sek 1 sek
nok 1 nok
dkk 1 dkk
pln 1 pln zloty
czk 1 czk
huf 1 huf
brl 1 brl
mxn 1 mxn
zar 1 zar
krw 1 ₩ krw
share 1/100 % percent pct
share 1 fraction`), "\n") {
		f := strings.Fields(line)
		factor, _ := new(big.Rat).SetString(f[1])
		for _, name := range f[2:] {
			m[name] = unit{f[0], factor}
		}
	}
	return m
}()

func unitKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// UnitMatch says how the unit beside a number relates to the one asked for.
type UnitMatch uint8

// The relations.
const (
	UnitAbsent UnitMatch = iota // none is named
	UnitSame                    // the one asked for, or one of its dimension
	UnitOther                   // another dimension or currency
)

// In returns the value of n in the unit asked for. An unknown unit is compared by its name, with and without a plural s.
func (n Number) In(want string) (*big.Rat, UnitMatch) {
	if n.Value == nil {
		return nil, UnitAbsent
	}
	key := unitKey(want)
	u, known := units[key]
	if !known {
		if key != "" && strings.TrimSuffix(n.Word, "s") == strings.TrimSuffix(key, "s") {
			return n.Value, UnitSame
		}
		return n.Value, UnitAbsent
	}
	have, ok := units[unitKey(n.Unit)]
	switch {
	case !ok:
		return n.Value, UnitAbsent
	case have.dimension == u.dimension:
		return new(big.Rat).Quo(new(big.Rat).Mul(n.Value, have.factor), u.factor), UnitSame
	case u.dimension == "gbp" && have.dimension == "mass" && strings.HasPrefix(unitKey(n.Unit), "pound"):
		return n.Value, UnitSame
	}
	return n.Value, UnitOther
}
