/**
 * How fast a lost OSD is rebuilt, and what clients feel of it: the FAST'08 paper's Figures 5 and 6.
 */
package org.weft.bench.rebuild;
