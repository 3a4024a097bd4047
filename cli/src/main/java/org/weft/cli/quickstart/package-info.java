/**
 * A whole cluster on this machine, in one process or in one for each daemon, by exactly the classes
 * that the separate daemons run.
 */
package org.weft.cli.quickstart;
