/**
 * A rebuild on paper. It uses the code that places files, finds what is lost, decides its order and
 * draws spares (P 4.1, 6.8). Disks and the clock are only computed. Everything runs in one thread.
 */
package org.weft.bench.rebuild.model;
