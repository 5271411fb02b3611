/*
 * Sliding tiles: the 8-puzzle and its relatives.
 *
 * On a board of WIDTH by HEIGHT cells lie tiles with the numbers 1, 2, ... in order; the first cell is the gap (0). A move
 * slides a tile beside the gap into it.
 *
 * A state space of known size: half of all permutations can be reached, (WIDTH * HEIGHT)! / 2 states: 181,440 by default,
 * 1,814,400 for 5 by 2, 239,500,800 for 4 by 3 and for 6 by 2. The most moves that a position takes: 31 for 3 by 3,
 * 55 for 5 by 2, 53 for 4 by 3, 21 for 3 by 2 (sequence A151944 of the On-Line Encyclopedia of Integer Sequences).
 *
 * Expected: the invariant `nearer` is violated: a position that takes most moves can be reached. Shortest trace: 31 steps,
 * 21 with -DHEIGHT=2. It is about these two sizes only; all others are correct.
 *
 *     bughound check models/promela/tiles.pml --search bfs
 *     bughound explore -DWIDTH=5 -DHEIGHT=2 models/promela/tiles.pml
 */

#ifndef WIDTH
#define WIDTH 3
#endif
#ifndef HEIGHT
#define HEIGHT 3
#endif

byte gap;
byte tile[WIDTH * HEIGHT] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

inline slide(from) {
	tile[gap] = tile[from];
	tile[from] = 0;
	gap = from
}

active proctype Player() {
	do
	:: d_step { gap % WIDTH > 0         -> slide(gap - 1) }
	:: d_step { gap % WIDTH < WIDTH - 1 -> slide(gap + 1) }
	:: d_step { gap >= WIDTH            -> slide(gap - WIDTH) }
	:: d_step { gap < WIDTH * (HEIGHT - 1) -> slide(gap + WIDTH) }
	od
}

#if WIDTH == 3 && HEIGHT == 3
ltl nearer {
	[] !(tile[0] == 8 && tile[1] == 7 && tile[2] == 6 &&
	     tile[3] == 0 && tile[4] == 4 && tile[5] == 1 &&
	     tile[6] == 2 && tile[7] == 5 && tile[8] == 3)
}
#endif
#if WIDTH == 3 && HEIGHT == 2
ltl nearer {
	[] !(tile[0] == 3 && tile[1] == 4 && tile[2] == 5 &&
	     tile[3] == 0 && tile[4] == 1 && tile[5] == 2)
}
#endif
