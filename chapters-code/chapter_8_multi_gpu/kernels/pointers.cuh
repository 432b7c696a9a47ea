// The arrays of all devices, in the order of the devices. A launch passes them by value.
#pragma once

// The largest number of devices.
const int MOST = 8;

struct Pointers {
    float* of[MOST];
};
