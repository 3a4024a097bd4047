/**
 * A rebuild on paper: the code that places files, finds what is lost, decides its order and draws
 * spares (P 4.1, 6.8), with disks and a clock that are only computed. Everything runs in one
 * thread.
 */
package org.weft.bench.rebuild.model;
