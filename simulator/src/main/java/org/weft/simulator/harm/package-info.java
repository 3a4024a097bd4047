/** What goes wrong in a simulated world: one fault after another, drawn from the seed. */
package org.weft.simulator.harm;
