/**
 * When a late answer of an OSD is not waited for: how long OSDs take, which are slow, and how much
 * may be read in addition (DESIGN 5). Uses none of the packages beside it.
 */
package org.weft.client.stripe.hedge;
