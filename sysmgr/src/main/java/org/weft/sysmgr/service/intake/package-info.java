/**
 * What comes before any handler: what a request may say, and how many requests may wait.
 *
 * <p>It uses nothing of the service.
 */
package org.weft.sysmgr.service.intake;
