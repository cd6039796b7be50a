module example.com/tallystick

go 1.19
