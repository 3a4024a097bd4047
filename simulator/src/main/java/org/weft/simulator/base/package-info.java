/** What all of a simulated world shares: its options, time, trace, random numbers, and alarms. */
package org.weft.simulator.base;
