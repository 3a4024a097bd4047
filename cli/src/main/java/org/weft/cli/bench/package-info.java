/** Loads on a running cluster. */
package org.weft.cli.bench;
