/** How bandwidth grows with OSDs and clients: the papers' Figures 2 and 3. */
package org.weft.bench.scale;
