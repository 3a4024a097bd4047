/** How commands find a cluster and say who they act for. */
package org.weft.cli.cluster;
