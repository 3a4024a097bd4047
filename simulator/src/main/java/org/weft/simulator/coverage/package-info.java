/**
 * How often the code that keeps each rule of docs/protocols.md decided something while seeds ran:
 * lines that a table names are counted in classes that are loaded aside, so that the code itself
 * knows nothing of it.
 */
package org.weft.simulator.coverage;
