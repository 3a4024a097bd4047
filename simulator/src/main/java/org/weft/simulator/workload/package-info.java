/**
 * The steps of clients in a simulated world. Everything is drawn from the seed. Everything that is
 * asked and answered goes into histories.
 */
package org.weft.simulator.workload;
