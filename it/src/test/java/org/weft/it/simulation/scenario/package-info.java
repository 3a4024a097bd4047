/**
 * Interleavings that break a simpler design, played on a simulated cluster step by step.
 * docs/testing.md lists them by hazard, with the rule that closes each.
 */
package org.weft.it.simulation.scenario;
