/**
 * What clients do in a simulated world, what goes wrong there meanwhile, and what must hold when it
 * is over. Everything is drawn from the seed; everything asked and answered goes into histories.
 */
package org.weft.it.simulation.workload;
