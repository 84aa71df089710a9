// One step: pairs at a distance of 2^(stage - pass) are put in order.
kernel void bitonic(global uint *numbers, uint stage, uint pass) {
    uint me = get_global_id(0), distance = 1u << (stage - pass);
    uint left = me % distance + me / distance * 2 * distance, right = left + distance;
    uint a = numbers[left], b = numbers[right];
    bool rises = (me >> stage) % 2 == 0;
    numbers[left] = rises ? min(a, b) : max(a, b);
    numbers[right] = rises ? max(a, b) : min(a, b);
}
