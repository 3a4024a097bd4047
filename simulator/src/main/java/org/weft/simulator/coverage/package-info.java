/**
 * Counts how often the code of each rule of docs/protocols.md decided something while seeds ran. A
 * table names the lines. They are counted in classes that are loaded aside, so the code itself
 * knows nothing of it.
 */
package org.weft.simulator.coverage;
