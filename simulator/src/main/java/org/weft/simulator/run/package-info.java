/** Runs seeds of the simulator, alone or many, and says what came of them. */
package org.weft.simulator.run;
