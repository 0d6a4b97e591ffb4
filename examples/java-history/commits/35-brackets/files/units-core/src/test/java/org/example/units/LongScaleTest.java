package org.example.units;

class LongScaleTest extends LengthScaleTest {
    @Override
    Scale scale() {
        return new Scale(Units.find("km"), 0.005) {
            @Override
            public String label(int mark) {
                return mark * 5 + " [m]";
            }
        };
    }
}
